import type { RuleTest } from '../../shared/alerting/rule-tests/rule-test-file.ts';
import type { Rule } from '../../shared/alerting/rules/rule.ts';
import { GRAINS, type Grain } from '../../shared/alerting/time/window.ts';
import type { BoundSeries } from './bound-series.ts';
import { seriesFor, whyNotNotifiedBy } from './participating-rules.ts';
import type { SeriesFault } from './series-fault.ts';

type ValueSpan = { kind: 'span'; interval: Grain; zone: string } | { kind: 'faults'; faults: SeriesFault[] };

/** How long windows are and where they begin: as the test says, or as the rules that its series are of have it. */
export function spanOf(test: RuleTest, rules: Rule[], series: BoundSeries[]): ValueSpan {
  const byWindow = Map.groupBy(rules, ({ window }) => window);
  const byZone = Map.groupBy(rules, ({ zone }) => zone);
  if (!test.interval && byWindow.size > 1) return ambiguous(test, 'interval', byWindow, series);
  if (!test.zone && byZone.size > 1) return ambiguous(test, 'zone', byZone, series);
  const interval = test.interval ?? [...byWindow.keys()][0] ?? 'day';
  for (const rule of rules) {
    const why = !rule.members && test.rules?.includes(rule.id) && whyNotNotifiedBy(rule, interval);
    if (why) return { kind: 'faults', faults: [{ path: ['interval'], message: why }] };
  }
  return { kind: 'span', interval, zone: test.zone ?? [...byZone.keys()][0] ?? 'UTC' };
}

/** Rules that do not agree take the values: it is said at those which the rules take that are less likely meant. */
function ambiguous(
  test: RuleTest,
  key: 'interval' | 'zone',
  groups: Map<string, Rule[]>,
  series: BoundSeries[],
): ValueSpan {
  const listed = [...groups].map(([name, [rule]]) => `${rule?.id} (${name})`).join(' and ');
  const toSay = key === 'interval' ? 'say what one value is of' : 'say in which zone times are';
  const fault = (path: SeriesFault['path'], advice: string): ValueSpan => ({
    kind: 'faults',
    faults: [{ path, message: `${listed} take these values: ${advice}` }],
  });
  if (test.rules) {
    const shortest = GRAINS.find((grain) => groups.has(grain));
    return fault(['rules'], `${toSay}, such as "${key}: ${shortest ?? [...groups.keys()][0]}"`);
  }
  const { name, meant, others } = likelyMeant(test, groups);
  const odd = series.findIndex((each) =>
    others.some((rule) => !rule.members && seriesFor(rule, [each]).length > 0),
  );
  const advice = `name the rules that are meant, such as "rules: [${meant.join(', ')}]", or ${toSay}, such as "${key}: ${name}"`;
  return fault(['series', Math.max(0, odd)], advice);
}

/** The rules that the test expects alerts of, or else those that agree with the first. */
function likelyMeant({ alerts = [] }: RuleTest, groups: Map<string, Rule[]>) {
  const expected = new Set(alerts.map(({ subject }) => subject));
  const entries = [...groups];
  const [name = '', rules = []] =
    entries.find(([, group]) => group.some(({ id }) => expected.has(id))) ?? entries[0] ?? [];
  const named = rules.filter(({ id }) => expected.has(id));
  return {
    name,
    meant: (named.length > 0 ? named : rules).map(({ id }) => id),
    others: entries.flatMap(([other, group]) => (other === name ? [] : group)),
  };
}

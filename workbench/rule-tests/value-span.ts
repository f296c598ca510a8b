import type { RuleTest } from '../../shared/rule-tests/rule-test-file.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { GRAINS, type Grain } from '../../shared/time/window.ts';
import type { BoundSeries } from './bound-series.ts';
import { seriesFor, whyNotDerivedFrom } from './participating-rules.ts';
import type { SeriesFault } from './series-fault.ts';

type ValueSpan = { kind: 'span'; interval: Grain; zone: string } | { kind: 'faults'; faults: SeriesFault[] };

/** Length and start of windows: as the test says, or as its rules have them. */
export function spanOf(test: RuleTest, rules: Rule[], series: BoundSeries[]): ValueSpan {
  const byWindow = Map.groupBy(rules, ({ window }) => window);
  const byZone = Map.groupBy(rules, ({ zone }) => zone);
  if (!test.interval && byWindow.size > 1) return ambiguous(test, 'interval', byWindow, series);
  if (!test.zone && byZone.size > 1) return ambiguous(test, 'zone', byZone, series);
  const interval = test.interval ?? [...byWindow.keys()][0] ?? 'day';
  for (const rule of rules) {
    const why = !rule.members && test.rules?.includes(rule.id) && whyNotDerivedFrom(rule, interval);
    if (why) return { kind: 'faults', faults: [{ path: ['interval'], message: why }] };
  }
  return { kind: 'span', interval, zone: test.zone ?? [...byZone.keys()][0] ?? 'UTC' };
}

/**
 * Rules with different windows use the values. The fault is placed at the series of the rules that are less
 * likely meant.
 */
function ambiguous(
  test: RuleTest,
  key: 'interval' | 'zone',
  groups: Map<string, Rule[]>,
  series: BoundSeries[],
): ValueSpan {
  const listed = [...groups].map(([name, [rule]]) => `${rule?.id} (${name})`).join(' and ');
  const toSay = key === 'interval' ? 'set the interval of one value' : 'set the time zone';
  const fault = (path: SeriesFault['path'], advice: string): ValueSpan => ({
    kind: 'faults',
    faults: [{ path, message: `${listed} use these values: ${advice}` }],
  });
  if (test.rules) {
    const shortest = GRAINS.find((grain) => groups.has(grain));
    return fault(['rules'], `${toSay}, such as "${key}: ${shortest ?? [...groups.keys()][0]}"`);
  }
  const { name, meant, others } = likelyMeant(test, groups);
  const odd = series.findIndex((each) =>
    others.some((rule) => !rule.members && seriesFor(rule, [each]).length > 0),
  );
  const advice = `list the rules to test, such as "rules: [${meant.join(', ')}]", or ${toSay}, such as "${key}: ${name}"`;
  return fault(['series', Math.max(0, odd)], advice);
}

/** The rules with expected alerts, or else those that agree with the first. */
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

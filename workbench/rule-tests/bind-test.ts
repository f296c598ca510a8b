import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import type { Fault } from '../../shared/rule-files/rule-source.ts';
import type { RuleTest } from '../../shared/rule-tests/rule-test-file.ts';
import { hasSegments, type Rule } from '../../shared/rules/rule.ts';
import type { Silence } from '../../shared/silences/silence.ts';
import { didYouMean } from '../../shared/text/nearest-words.ts';
import { type Calendar, lastClosedWindow } from '../../shared/time/window.ts';
import { ZoneClock } from '../../shared/time/zone-clock.ts';
import { type BoundSeries, bindSeries } from './bound-series.ts';
import {
  rulesTakingPart,
  seriesFor,
  whyNotDerivedFrom,
  whyUnused,
  withFilters,
} from './participating-rules.ts';
import { momentOf } from './test-times.ts';

/** A runnable test: its rules, its figures in time, and its expectations. */
export interface BoundTest {
  name: string;
  /** `rules/checkout.test.yaml:12`. */
  place: string;
  ruleSet: RuleSet;
  clock: ZoneClock;
  series: BoundSeries[];
  silences: Silence[];
  /** Start of the first window of the series, and end of the last. */
  startsAt: number;
  endsAt: number;
  expected: Pick<RuleTest, 'alerts' | 'messages'>;
}

type Faults = { kind: 'faults'; faults: Fault[] };
export type Binding = { kind: 'bound'; test: BoundTest } | Faults;

/** A test bound to these rules, or its faults by path. */
export function bindTest(test: RuleTest, ruleSet: RuleSet, place: string): Binding {
  const { rules } = ruleSet;
  const unknown = (test.rules ?? []).flatMap((id, i): Fault[] =>
    rules.some((rule) => rule.id === id) ? [] : [{ path: ['rules', i], message: noSuchRule(id, rules) }],
  );
  if (unknown.length > 0) return { kind: 'faults', faults: unknown };

  // The participating rules set the windows, but do not depend on them, so any windows do to find them.
  const draft = boundSeriesOf(withoutRevisions(test), { grain: 'day', zone: 'UTC' });
  if (draft.kind === 'faults') return draft;
  const given = rulesTakingPart(rules, withFilters(draft.series, rules, test.rules), test.rules);
  const span = spanOf(test, given);
  if (span.kind === 'faults') return span;
  const { grain, zone } = span.calendar;
  const bound = boundSeriesOf(test, span.calendar);
  if (bound.kind === 'faults') return bound;

  const clock = new ZoneClock(zone);
  const startsAt = momentOf(test.starts, clock);
  const series = withFilters(bound.series, rules, test.rules);
  const endsAt = Math.max(...series.map(({ windows }) => windows.at(-1)?.endAt ?? startsAt));
  const underived = new Map(
    given.flatMap((rule) => {
      const why = rule.members ? undefined : whyNotDerivedFrom(rule, grain);
      return why === undefined ? [] : [[rule.id, why]];
    }),
  );
  const takingPart = given.filter(
    ({ id, members }) => !(members?.ruleIds ?? [id]).some((each) => underived.has(each)),
  );
  const faults = [
    ...wrongStart(test, startsAt, span.calendar),
    ...unusedSeries(series, takingPart, rules, [...underived.values()]),
    ...unequalEnds(series, endsAt),
    ...wrongSubjects(test, rules, takingPart),
  ];
  if (faults.length > 0) return { kind: 'faults', faults };
  const { name, quiet, alerts, messages } = test;
  const expected = quiet ? { alerts: [], messages: [] } : { alerts, messages };
  const of = { name, place, ruleSet: { ...ruleSet, rules: takingPart }, silences: silencesOf(test, clock) };
  return { kind: 'bound', test: { ...of, clock, series, startsAt, endsAt, expected } };
}

function silencesOf({ silences }: RuleTest, clock: ZoneClock): Silence[] {
  return silences.map(({ match, from, until }, i) => {
    const [fromAt, untilAt] = [momentOf(from, clock), momentOf(until, clock)];
    return { id: `silence-${i}`, match, fromAt, untilAt, by: 'the test', at: fromAt, reason: '' };
  });
}

function withoutRevisions(test: RuleTest): RuleTest {
  return { ...test, series: test.series.map((each) => ({ ...each, revisions: [] })) };
}

function boundSeriesOf(
  test: RuleTest,
  calendar: Calendar,
): { kind: 'bound'; series: BoundSeries[] } | Faults {
  const clock = new ZoneClock(calendar.zone);
  const startsAt = momentOf(test.starts, clock);
  const series: BoundSeries[] = [];
  const faults: Fault[] = [];
  for (const [i, spec] of test.series.entries()) {
    const bound = bindSeries(spec, startsAt, calendar, clock);
    if (bound.kind === 'bound') series.push(bound.series);
    else faults.push(...bound.faults.map(({ path, message }) => ({ path: ['series', i, ...path], message })));
  }
  return faults.length > 0 ? { kind: 'faults', faults } : { kind: 'bound', series };
}

/** The windows of the values: as the test says, or as its rules have them. */
function spanOf(test: RuleTest, rules: Rule[]): { kind: 'span'; calendar: Calendar } | Faults {
  const ambiguous = (key: 'interval' | 'zone', groups: Map<string, Rule[]>): Faults => {
    const listed = [...groups].map(([name, [rule]]) => `${rule?.id} (${name})`).join(' and ');
    const advice = `${test.rules ? '' : 'list the rules to test in "rules", or '}set "${key}"`;
    const path = test.rules ? ['rules'] : ['series', 0];
    return { kind: 'faults', faults: [{ path, message: `${listed} use these values: ${advice}` }] };
  };
  const byWindow = Map.groupBy(rules, ({ window }) => window);
  const byZone = Map.groupBy(rules, ({ zone }) => zone);
  if (!test.interval && byWindow.size > 1) return ambiguous('interval', byWindow);
  if (!test.zone && byZone.size > 1) return ambiguous('zone', byZone);
  const [grain = 'day'] = test.interval ? [test.interval] : byWindow.keys();
  const [zone = 'UTC'] = test.zone === undefined ? byZone.keys() : [test.zone];
  return { kind: 'span', calendar: { grain, zone } };
}

function wrongStart(test: RuleTest, startsAt: number, calendar: Calendar): Fault[] {
  const { grain, zone } = calendar;
  const { endAt } = lastClosedWindow(startsAt, calendar);
  if (endAt === startsAt) return [];
  const local = new Date(new ZoneClock(zone).localOf(endAt)).toISOString().replace('T', ' ');
  const near = local.slice(0, grain === 'hour' ? 16 : 10);
  const message = `no ${grain} begins then in ${zone}; one begins at ${near}; found "${test.starts}"`;
  return [{ path: ['starts'], message }];
}

function unusedSeries(
  series: BoundSeries[],
  takingPart: Rule[],
  rules: Rule[],
  [whyUnderived]: string[],
): Fault[] {
  const used = new Set(takingPart.flatMap((rule) => (rule.members ? [] : seriesFor(rule, series))));
  return series.flatMap((each, i): Fault[] =>
    used.has(each) ? [] : [{ path: ['series', i], message: whyUnderived ?? whyUnused(each, rules) }],
  );
}

/** All series must have the same length: a shorter one may be a mistake. */
function unequalEnds(series: BoundSeries[], endsAt: number): Fault[] {
  const most = Math.max(...series.map(({ windows }) => windows.length));
  return series.flatMap(({ windows }, i): Fault[] => {
    if (windows.at(-1)?.endAt === endsAt) return [];
    const message = `has ${windows.length} values, and another series has ${most}; use _ for windows without a row`;
    return [{ path: ['series', i, 'values'], message }];
  });
}

function wrongSubjects(test: RuleTest, rules: Rule[], takingPart: Rule[]): Fault[] {
  const apps = [...new Set(takingPart.map(({ app }) => app))];
  return (test.alerts ?? []).flatMap(({ transition, subject, isOfApp, segment }, i): Fault[] => {
    const fault = (key: string, message: string) => [{ path: ['alerts', i, key], message }];
    if (isOfApp)
      return apps.includes(subject)
        ? []
        : fault(transition, `an app stops, not a rule; the apps are ${apps.join(', ')}`);
    const rule = takingPart.find(({ id }) => id === subject);
    if (rule && segment !== undefined && !hasSegments(rule) && !rule.members)
      return fault('segment', `${subject} has no segments: it has no group_by`);
    if (rule) return [];
    if (!rules.some(({ id }) => id === subject)) return fault(transition, noSuchRule(subject, rules));
    const why = test.rules ? '"rules" does not list it' : 'the series do not give all of its figures';
    return fault(transition, `${subject} is not tested: ${why}`);
  });
}

function noSuchRule(id: string, rules: Rule[]): string {
  const ids = rules.map((rule) => rule.id);
  return `there is no rule "${id}"${didYouMean(id, ids)}`;
}

import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import type { Silence } from '../../shared/notifications/silences.ts';
import type { RuleTest } from '../../shared/rule-tests/rule-test-file.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { hasSegments } from '../../shared/rules/rule.ts';
import { didYouMean } from '../../shared/text/nearest-words.ts';
import { type Grain, lastClosedWindow } from '../../shared/time/window.ts';
import { ZoneClock } from '../../shared/time/zone-clock.ts';
import { type BoundSeries, bindSeries } from './bound-series.ts';
import { impossibleFigures } from './impossible-figures.ts';
import {
  rulesTakingPart,
  seriesFor,
  whyNotDerivedFrom,
  whyUnacknowledged,
  withFilters,
} from './participating-rules.ts';
import type { SeriesFault } from './series-fault.ts';
import { momentOf, timesNeverShown } from './test-times.ts';
import { spanOf } from './value-span.ts';
import { whyNoPart } from './why-not-participating.ts';

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

export type Binding = { kind: 'bound'; test: BoundTest } | { kind: 'faults'; faults: SeriesFault[] };

/** A test bound to these rules, or its faults by path. */
export function bindTest(test: RuleTest, ruleSet: RuleSet, place: string): Binding {
  const { rules } = ruleSet;
  const unknown = (test.rules ?? []).flatMap((id, i): SeriesFault[] =>
    rules.some((rule) => rule.id === id) ? [] : [{ path: ['rules', i], message: noSuchRule(id, rules) }],
  );
  if (unknown.length > 0) return { kind: 'faults', faults: unknown };

  // The participating rules set the windows, but do not depend on them, so any windows do to find them.
  const draft = boundSeriesOf(withoutRevisions(test), { interval: 'day', zone: 'UTC' });
  if (draft.kind === 'faults') return draft;
  const drafted = withFilters(draft.series, rules, test.rules);
  const given = rulesTakingPart(rules, drafted, test.rules);
  const span = spanOf(test, given, drafted);
  if (span.kind === 'faults') return span;
  const { interval, zone } = span;
  const takingPart = notifiedBy(given, interval);
  const amongst = test.rules ? takingPart : rules;
  const clock = new ZoneClock(zone);
  const unshown = timesNeverShown(test, clock);
  if (unshown.length > 0) return { kind: 'faults', faults: unshown };
  const bound = boundSeriesOf(test, { interval, zone });
  if (bound.kind === 'faults') return bound;

  const startsAt = momentOf(test.starts, clock);
  const series = withFilters(bound.series, rules, test.rules);
  const ends = series.map(({ windows }) => windows.at(-1)?.endAt ?? startsAt);
  const endsAt = Math.max(...ends);
  const faults = [
    ...wrongStart(test, startsAt, interval, zone),
    ...unacknowledged(
      series,
      takingPart,
      (each) => whyUntold(each, given, interval) ?? whyUnacknowledged(each, amongst),
    ),
    ...unequalEnds(series, endsAt),
    ...wrongSubjects(test, rules, takingPart, { series, interval, named: test.rules }),
    ...impossibleFigures(series, takingPart, clock),
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

type Series = { kind: 'bound'; series: BoundSeries[] } | { kind: 'faults'; faults: SeriesFault[] };

function withoutRevisions(test: RuleTest): RuleTest {
  return { ...test, series: test.series.map((each) => ({ ...each, revisions: [] })) };
}

function boundSeriesOf(test: RuleTest, { interval, zone }: { interval: Grain; zone: string }): Series {
  const clock = new ZoneClock(zone);
  const startsAt = momentOf(test.starts, clock);
  const series: BoundSeries[] = [];
  const faults: SeriesFault[] = [];
  for (const [i, spec] of test.series.entries()) {
    const bound = bindSeries(spec, startsAt, { grain: interval, zone }, clock);
    if (bound.kind === 'bound') series.push(bound.series);
    else faults.push(...bound.faults.map(({ path, message }) => ({ path: ['series', i, ...path], message })));
  }
  return faults.length > 0 ? { kind: 'faults', faults } : { kind: 'bound', series };
}

function wrongStart(test: RuleTest, startsAt: number, grain: Grain, zone: string): SeriesFault[] {
  const { endAt } = lastClosedWindow(startsAt, { grain, zone });
  if (endAt === startsAt) return [];
  const local = new Date(new ZoneClock(zone).localOf(endAt)).toISOString().replace('T', ' ');
  const near = local.slice(0, grain === 'hour' ? 16 : 10);
  const message = `no ${grain} begins then in ${zone}; one begins at ${near}; found "${test.starts}"`;
  return [{ path: ['starts'], message }];
}

/** Rules that evaluate the values, and composite rules of such rules. */
function notifiedBy(rules: Rule[], interval: Grain): Rule[] {
  const untold = rules.flatMap((rule) =>
    !rule.members && whyNotDerivedFrom(rule, interval) !== undefined ? [rule.id] : [],
  );
  return rules.filter(({ id, members }) => !(members?.ruleIds ?? [id]).some((each) => untold.includes(each)));
}

function whyUntold(series: BoundSeries, rules: Rule[], interval: Grain): string | undefined {
  const takers = rules.flatMap((rule) =>
    rule.members || seriesFor(rule, [series]).length === 0 ? [] : [rule],
  );
  return takers.flatMap((rule) => whyNotDerivedFrom(rule, interval) ?? [])[0];
}

function unacknowledged(
  series: BoundSeries[],
  takingPart: Rule[],
  why: (each: BoundSeries) => string,
): SeriesFault[] {
  const taken = new Set(takingPart.flatMap((rule) => (rule.members ? [] : seriesFor(rule, series))));
  return series.flatMap((each, i): SeriesFault[] =>
    taken.has(each) ? [] : [{ path: ['series', i], message: why(each) }],
  );
}

/** All series must have the same length: a shorter one may be a mistake. */
function unequalEnds(series: BoundSeries[], endsAt: number): SeriesFault[] {
  const most = Math.max(...series.map(({ windows }) => windows.length));
  return series.flatMap(({ windows }, i): SeriesFault[] => {
    if (windows.at(-1)?.endAt === endsAt) return [];
    const message = `has ${windows.length} values, and another series has ${most}; use _ for windows without a row`;
    return [{ path: ['series', i, 'values'], message }];
  });
}

function wrongSubjects(
  test: RuleTest,
  rules: Rule[],
  takingPart: Rule[],
  given: Parameters<typeof whyNoPart>[2],
): SeriesFault[] {
  const apps = [...new Set(takingPart.map(({ app }) => app))];
  return (test.alerts ?? []).flatMap(({ transition, subject, isOfApp, segment }, i): SeriesFault[] => {
    const fault = (key: string, message: string) => [{ path: ['alerts', i, key], message }];
    if (isOfApp)
      return apps.includes(subject)
        ? []
        : fault(transition, `an app stops, not a rule; the apps are ${apps.join(', ')}`);
    const rule = takingPart.find(({ id }) => id === subject);
    if (rule && segment !== undefined && !hasSegments(rule) && !rule.members)
      return fault('segment', `${subject} has no segments: it has no group_by`);
    if (rule) return [];
    const known = rules.find(({ id }) => id === subject);
    if (!known) return fault(transition, noSuchRule(subject, rules));
    return fault(transition, whyNoPart(known, rules, given));
  });
}

function noSuchRule(id: string, rules: Rule[]): string {
  const ids = rules.map((rule) => rule.id);
  return `there is no rule "${id}"${didYouMean(id, ids)}`;
}

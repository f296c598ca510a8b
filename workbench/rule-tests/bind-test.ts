import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import type { Fault } from '../../shared/rule-files/rule-source.ts';
import type { RuleTest } from '../../shared/rule-tests/rule-test-file.ts';
import { hasSegments, type Rule } from '../../shared/rules/rule.ts';
import type { Silence } from '../../shared/silences/silence.ts';
import { didYouMean } from '../../shared/text/nearest-words.ts';
import { type Calendar, lastClosedWindow } from '../../shared/time/window.ts';
import { ZoneClock } from '../../shared/time/zone-clock.ts';
import { type BoundSeries, type SeriesSubject, subjectOfSeries, windowsOfSeries } from './bound-series.ts';
import { rulesTakingPart, seriesFor, whyUnused } from './participating-rules.ts';
import { localText, momentOf } from './test-times.ts';

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
  const described = test.series.map(subjectOfSeries);
  const wrong = [
    ...(test.rules ?? []).flatMap((id, i): Fault[] =>
      rules.some((rule) => rule.id === id) ? [] : [{ path: ['rules', i], message: noSuchRule(id, rules) }],
    ),
    ...described.flatMap(({ fault }, i) => (fault ? [inSeries(i, fault)] : [])),
  ];
  if (wrong.length > 0) return { kind: 'faults', faults: wrong };

  // Series without filters are of rules without filters, unless the test names its rules: other rules of the folder
  // must not change it.
  const subjects = described.map(({ subject }) =>
    test.rules || subject.filters ? subject : { ...subject, filters: [] },
  );
  const takingPart = rulesTakingPart(rules, subjects, test.rules);
  const ambiguous = ambiguity(test, takingPart);
  if (ambiguous) return { kind: 'faults', faults: [ambiguous] };
  const [{ window: grain, zone } = { window: 'day', zone: 'UTC' } as const] = takingPart;
  const calendar = { grain, zone: test.zone ?? zone };
  const clock = new ZoneClock(calendar.zone);
  const startsAt = momentOf(test.starts, clock);
  const windows = test.series.map((each) => windowsOfSeries(each, startsAt, calendar, clock));
  const faults = [
    ...windows.flatMap((each, i) => each.faults.map((fault) => inSeries(i, fault))),
    ...wrongStart(test, startsAt, calendar, clock),
    ...unusedSeries(subjects, takingPart, rules),
    ...unequalSeries(test),
    ...wrongSubjects(test, rules, takingPart),
  ];
  if (faults.length > 0) return { kind: 'faults', faults };
  const { name, quiet, alerts, messages } = test;
  const expected = quiet ? { alerts: [], messages: [] } : { alerts, messages };
  const series = subjects.flatMap((subject, i) => (windows[i] ? [{ ...subject, ...windows[i] }] : []));
  const endsAt = series[0]?.windows.at(-1)?.endAt ?? startsAt;
  const silences = silencesOf(test, clock);
  const of = { name, place, ruleSet: { ...ruleSet, rules: takingPart }, silences, clock };
  return { kind: 'bound', test: { ...of, series, startsAt, endsAt, expected } };
}

function inSeries(i: number, { path, message }: Fault): Fault {
  return { path: ['series', i, ...path], message };
}

function silencesOf({ silences }: RuleTest, clock: ZoneClock): Silence[] {
  return silences.map(({ match, from, until }, i) => {
    const [fromAt, untilAt] = [momentOf(from, clock), momentOf(until, clock)];
    return { id: `silence-${i}`, match, fromAt, untilAt, by: 'the test', at: fromAt, reason: '' };
  });
}

/** Rules of several windows, or of several zones without one of the test. */
function ambiguity(test: RuleTest, rules: Rule[]): Fault | undefined {
  for (const key of ['window', 'zone'] as const) {
    const groups = Map.groupBy(rules, (rule) => rule[key]);
    if (groups.size < 2 || (key === 'zone' && test.zone !== undefined)) continue;
    const listed = [...groups].map(([name, [rule]]) => `${rule?.id} (${name})`).join(' and ');
    const advice = [
      test.rules ? 'test them apart' : 'list the rules to test in "rules"',
      ...(key === 'zone' ? ['or set "zone"'] : []),
    ].join(', ');
    return { path: test.rules ? ['rules'] : ['series', 0], message: `${listed} use these values: ${advice}` };
  }
  return undefined;
}

function wrongStart({ starts }: RuleTest, startsAt: number, calendar: Calendar, clock: ZoneClock): Fault[] {
  const { grain, zone } = calendar;
  const { endAt } = lastClosedWindow(startsAt, calendar);
  if (endAt === startsAt) return [];
  const near = localText(endAt, clock).slice(0, grain === 'hour' ? 16 : 10);
  const message = `no ${grain} begins then in ${zone}; one begins at ${near}; found "${starts}"`;
  return [{ path: ['starts'], message }];
}

function unusedSeries(series: SeriesSubject[], takingPart: Rule[], rules: Rule[]): Fault[] {
  const used = new Set(takingPart.flatMap((rule) => (rule.members ? [] : seriesFor(rule, series))));
  return series.flatMap((each, i): Fault[] =>
    used.has(each) ? [] : [{ path: ['series', i], message: whyUnused(each, rules) }],
  );
}

/** All series must have the same length: a shorter one may be a mistake. */
function unequalSeries({ series }: RuleTest): Fault[] {
  const most = Math.max(...series.map(({ values }) => values.length));
  return series.flatMap(({ values }, i): Fault[] => {
    if (values.length === most) return [];
    const message = `has ${values.length} values, and another series has ${most}; use _ for windows without a row`;
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

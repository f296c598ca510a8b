import { beforeAll, describe, expect, it } from 'vitest';
import { createSystem, runsBetween } from '../../local/system.ts';
import { silentMeter } from '../../local/terminal.ts';
import type { PendingNotification } from '../../shared/notifications/pending.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { inMemoryStores } from '../../shared/store/in-memory/stores.ts';
import { cadenceName } from '../../shared/time/cadence.ts';
import { DAY_MS, HOUR_MS } from '../../shared/units/durations.ts';
import { ruleNamed, ruleSetOf } from '../fixtures/builders.ts';
import { LocalTime, type Span, type Unit } from './local-time.ts';
import { steadySource } from './steady-source.ts';

/** With 29 February 2028, the end of a year, and each clock change of a year. */
const YEAR: Span = { startAt: Date.UTC(2027, 11, 1), endAt: Date.UTC(2028, 11, 15) };

/** With whole months before, so that no window of the year is cut off. */
const CALENDAR: Span = { startAt: YEAR.startAt - 70 * DAY_MS, endAt: YEAR.endAt + DAY_MS };

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Africa/Cairo',
  'Asia/Kathmandu',
  'Pacific/Apia',
];

/** Zones whose clocks change by an hour, by half an hour, and at midnight. */
const CHANGING = ['Europe/Berlin', 'Australia/Lord_Howe', 'America/Santiago'];

interface Kind {
  name: string;
  every: string;
  unit: Unit;
  settleMinutes?: number;
  zones: string[];
  /** When the rule runs, by the clocks of its zone. */
  runs: (clocks: LocalTime) => number[];
  /** Every so many windows, the figure falls by 80% for one window. Not if a run evaluates both the fall and its end. */
  fallsEvery?: number;
}

const anyDay = () => true;
const KINDS: Kind[] = [
  {
    ...{ name: 'hourly', every: 'hour', unit: 'hour', zones: ZONES, fallsEvery: 101 },
    runs: () => everyMinutes(60),
  },
  {
    ...{ name: 'ten-minutes', every: '10 minutes', unit: 'hour', settleMinutes: 20, fallsEvery: 211 },
    ...{ zones: ['Asia/Kathmandu'], runs: () => everyMinutes(10) },
  },
  {
    ...{ name: 'weekdays', every: 'weekday at 09:00', unit: 'hour', zones: CHANGING },
    runs: (clocks) => clocks.runs(['09:00'], ({ weekday }) => !['Sat', 'Sun'].includes(weekday)),
  },
  {
    ...{ name: 'daily', every: 'day at 07:30', unit: 'day', settleMinutes: 60, zones: ZONES, fallsEvery: 29 },
    runs: (clocks) => clocks.runs(['07:30'], anyDay),
  },
  {
    ...{ name: 'late', every: 'day at 23:30', unit: 'day', zones: ZONES, fallsEvery: 31 },
    runs: (clocks) => clocks.runs(['23:30'], anyDay),
  },
  {
    ...{ name: 'nightly', every: 'cron 30 0-3 * * *', unit: 'day', zones: CHANGING, fallsEvery: 37 },
    runs: (clocks) => clocks.runs(['00:30', '01:30', '02:30', '03:30'], anyDay),
  },
  {
    ...{ name: 'weekly', every: 'monday at 08:00', unit: 'week', zones: ZONES, fallsEvery: 17 },
    runs: (clocks) => clocks.runs(['08:00'], ({ weekday }) => weekday === 'Mon'),
  },
  {
    ...{ name: 'monthly', every: 'month at 09:00', unit: 'month', zones: ZONES },
    runs: (clocks) => clocks.runs(['09:00'], ({ day }) => day === '01'),
  },
];

function everyMinutes(minutes: number): number[] {
  const step = minutes * 60_000;
  return Array.from(
    { length: (CALENDAR.endAt - CALENDAR.startAt) / step },
    (_, i) => CALENDAR.startAt + i * step,
  );
}

/** What the oracle expects of one rule. */
interface Expected {
  rule: Rule;
  runs: number[];
  /** The windows to evaluate, oldest first, with the time of the run that does. */
  windows: (Span & { at: number })[];
  falls: Span[];
}

const clocks = new Map(ZONES.map((zone) => [zone, new LocalTime(zone, CALENDAR)]));
const expected = KINDS.flatMap((kind) => kind.zones.map((zone) => expectedOf(kind, zone)));

function expectedOf(
  { name, every, unit, settleMinutes = 0, fallsEvery, runs }: Kind,
  zone: string,
): Expected {
  const id = `${name}-${zone.toLowerCase().replace(/[^a-z]+/g, '-')}`;
  const rule = ruleNamed(id, {
    ...{ every, zone, window: unit, settle: `${settleMinutes} minutes` },
    filters: [{ attribute: 'event_name', operator: 'equal', value: id }],
    fire: { change: { below: '-50%' } },
  });
  const local = clocks.get(zone);
  if (!local) throw new Error(zone);
  const inYear = runs(local).filter((at) => at > YEAR.startAt && at <= YEAR.endAt);
  const windows = local.windows(unit).flatMap((window) => {
    const settledAt = window.endAt + settleMinutes * 60_000;
    const at = inYear.find((run) => run >= settledAt);
    return at === undefined ? [] : [{ ...window, at }];
  });
  // The first run of a new rule evaluates only the last window.
  const due = windows.filter(({ at }, i) => at !== windows[i + 1]?.at || at !== inYear[0]);
  return { rule, runs: inYear, windows: due, falls: fallsIn(due, fallsEvery) };
}

/** Not beside a window of another length, where figures are compared differently, nor at the ends of the year. */
function fallsIn(windows: Span[], every = Infinity): Span[] {
  const length = ({ startAt, endAt }: Span) => endAt - startAt;
  return windows.filter((window, i) => {
    const near = windows.slice(Math.max(0, i - 2), i + 3);
    return (
      i % every === every - 1 && near.length === 5 && near.every((each) => length(each) === length(window))
    );
  });
}

const evaluated = new Map<string, string[]>();
const planned = new Map<string, number[]>();
const sent: PendingNotification[] = [];
const logged: string[] = [];

beforeAll(async () => {
  const rules = expected.map(({ rule }) => rule);
  const falling = new Set(
    expected.flatMap(({ rule, falls }) => falls.map(({ endAt }) => `${rule.id} ${endAt}`)),
  );
  const clock = new ManualClock(YEAR.startAt);
  const source = steadySource({
    clock,
    count: (eventName, { startAt, endAt }) =>
      Math.round(((endAt - startAt) / HOUR_MS) * 3600 * (falling.has(`${eventName} ${endAt}`) ? 0.2 : 1)),
  });
  const log = (message: string, fields = {}) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const stores = inMemoryStores();
  const system = createSystem({
    stores: {
      ...stores,
      runs: {
        ...stores.runs,
        async saveTick(tick) {
          const cadence = tick.id.slice(0, tick.id.lastIndexOf('@'));
          listIn(planned, cadence).push(tick.scheduledAt);
          await stores.runs.saveTick(tick);
        },
      },
    },
    clock,
    sourceFor: () => source,
    channelFor: async () => ({ send: async () => ({ kind: 'sent' }) }),
    logger: { info: () => {}, warn: log, error: log },
    meter: silentMeter,
    findings: {
      evaluated({ ruleId }, { current: { window } }) {
        listIn(evaluated, ruleId).push(named({ ...window, at: clock.now() }));
      },
      unevaluated: (ruleId, gap) => log(ruleId, gap),
    },
  });
  await system.rules.save(ruleSetOf(...rules));
  for (const run of runsBetween(rules, YEAR.startAt, YEAR.endAt)) {
    clock.advanceTo(run.at);
    sent.push(...(await system.tick(run.cadence, run.at)));
  }
});

describe.each(expected)('$rule.id', ({ rule, runs, windows, falls }) => {
  it('is planned once at each run', () => {
    expect(runs.length).toBeGreaterThan(11);
    expect(differences(planned.get(cadenceName(rule.cadence))?.map(iso) ?? [], runs.map(iso))).toEqual(NONE);
  });

  it('evaluates each window once, in the first run after it has settled', () => {
    expect(windows.length).toBeGreaterThan(11);
    expect(differences(evaluated.get(rule.id) ?? [], windows.map(named))).toEqual(NONE);
  });

  it('notifies each fall once, and its end once', () => {
    const news = sent
      .filter(({ alert }) => alert.ruleId === rule.id)
      .map(({ notification }) => `${notification.transition} ${iso(notification.windowEndAt)}`);
    // A rule recovers after two windows that are clear.
    const falling = falls.flatMap(({ endAt }) => {
      const recovered = windows[windows.findIndex((window) => window.endAt === endAt) + 2];
      return [`fired ${iso(endAt)}`, `recovered ${iso(recovered?.endAt ?? 0)}`];
    });
    expect(differences(news, falling)).toEqual(NONE);
  });
});

it('logs no warning and no error', () => {
  expect(logged).toEqual([]);
});

it('includes 29 February, and days and hours that a change of clocks makes shorter or longer', () => {
  const hours = ({ startAt, endAt }: Span) => (endAt - startAt) / HOUR_MS;
  const of = (id: string) => expected.find(({ rule }) => rule.id === id)?.windows ?? [];
  const days = of('daily-europe-berlin');
  expect(new Set(days.map(hours))).toEqual(new Set([23, 24, 25]));
  expect(days.map(({ startAt }) => iso(startAt))).toContain('2028-02-28T23:00:00.000Z');
  expect(new Set(of('hourly-australia-lord-howe').map(hours))).toEqual(new Set([0.5, 1, 1.5]));
  expect(hours(of('monthly-utc').find(({ startAt }) => startAt === Date.UTC(2028, 1, 1)) ?? YEAR)).toBe(
    29 * 24,
  );
});

function listIn<T>(lists: Map<string, T[]>, name: string): T[] {
  const list = lists.get(name) ?? [];
  lists.set(name, list);
  return list;
}

const NONE = { missing: [], unexpected: [], twice: [] };

function differences(found: string[], wanted: string[]) {
  const asked = new Set(wanted);
  const seen = new Set<string>();
  const twice = found.filter((each) => {
    const isKnown = seen.has(each);
    seen.add(each);
    return isKnown;
  });
  return {
    missing: wanted.filter((each) => !seen.has(each)),
    unexpected: found.filter((each) => !asked.has(each)),
    twice,
  };
}

function named({ startAt, endAt, at }: Span & { at: number }): string {
  return `${iso(startAt)} to ${iso(endAt)}, at ${iso(at)}`;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

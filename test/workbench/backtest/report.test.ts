import { describe, expect, test } from 'vitest';
import type { ReplayEvent } from '../../../local/replay/replayed.ts';
import type { Reading } from '../../../shared/readings/reading.ts';
import type { Rule } from '../../../shared/rules/rule.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { beginningNotes, notesOn } from '../../../workbench/backtest/notes.ts';
import { dayAt, MONDAY, ruleNamed, value } from '../../fixtures/builders.ts';
import { evaluatedDays, reportOn, sent, tickOf } from './events.ts';

const purchases = ruleNamed('purchases');
const searches = ruleNamed('searches');

function report(events: ReplayEvent[], { rules = [purchases] }: { rules?: Rule[] } = {}) {
  return reportOn(events, rules);
}

const notes = (events: ReplayEvent[], rules = [purchases]) => notesOn(rules, reportOn(events, rules));

const first = (...given: Parameters<typeof report>) => {
  const [rule] = report(...given).rules;
  if (!rule) throw new Error('no rule');
  return rule;
};

describe('alerts', () => {
  test.each([
    ['none', '....', 'nnnn', { alerts: 0, longest: 0, stillOpen: 0 }],
    ['fires and recovers', '.!!..', 'nffrn', { alerts: 1, longest: 3, stillOpen: 0 }],
    ['fires again while it recovers: one alert', '.!.!..', 'nfrfrn', { alerts: 1, longest: 4, stillOpen: 0 }],
    ['fires twice', '!..!...', 'frnffrn', { alerts: 2, longest: 3, stillOpen: 0 }],
    ['is open at the end', '.!!', 'nff', { alerts: 1, longest: 1, stillOpen: 1 }],
    ['is pending only', '.!.', 'npn', { alerts: 0, longest: 0, stillOpen: 0 }],
  ])('%s', (_, days, states, { alerts, longest, stillOpen }) => {
    const rule = first(evaluatedDays(purchases, days, states));
    expect(rule.alerts).toBe(alerts);
    expect(rule.openMs.longest).toBe(longest * DAY_MS);
    expect(rule.stillOpen).toBe(stillOpen);
  });

  test('begin with the first breach that counted, and have its figures', () => {
    const [fire] = first(evaluatedDays(purchases, '.!.!', 'nppf')).fires;
    expect(fire?.onset).toEqual({ startAt: dayAt(1).startAt, endAt: dayAt(3).endAt });
    expect(fire).toMatchObject({ current: 40, baseline: 100, change: -0.6 });
    expect(fire?.text).toBe('2026-03-05 100 to 40 (-60%)');
  });

  test('of segments count for the rule, with their durations combined', () => {
    const rule = first([
      ...evaluatedDays(purchases, '!.', 'fn', 'DE'),
      ...evaluatedDays(purchases, '!!!.', 'fffn', 'FR'),
    ]);
    expect(rule.alerts).toBe(2);
    expect(rule.openMs).toEqual({ total: 4 * DAY_MS, longest: 3 * DAY_MS });
  });
});

test('a restated window counts once, with its last verdict', () => {
  const [again] = evaluatedDays(purchases, '.', 'n');
  const rule = first([...evaluatedDays(purchases, '!?_.', 'nnnn'), ...(again ? [again] : [])]);
  expect(rule.windows).toEqual({ evaluated: 4, breached: 0, inconclusive: 1, noData: 1, unevaluated: 0 });
});

describe('a count of 0', () => {
  const of = (current: number, baseline: number) => ({ current: value(current), baseline: value(baseline) });
  const daysOf = (...figures: { current: Reading; baseline: Reading }[]) =>
    figures.flatMap((each, day) =>
      evaluatedDays(purchases, '.', 'n').map((event): ReplayEvent => {
        const { current, baseline } = event.evaluation;
        const read = {
          current: { ...current, ...each.current, window: dayAt(day) },
          baseline: { ...baseline, ...each.baseline },
        };
        return { ...event, at: tickOf(day), evaluation: { ...event.evaluation, ...read } };
      }),
    );

  test('on all days counts as no value, and a note says what to check', () => {
    const events = daysOf(of(0, 0), of(0, 0));
    expect(first(events)).toMatchObject({ windows: { evaluated: 2, noData: 2 }, unknownShare: 1, alerts: 0 });
    expect(notes(events)).toContain(
      'purchases had no value above 0; "deltawatch check --live" finds misspelt names.',
    );
  });

  test('counts as no value before the first value, and as 0 after it', () => {
    const rule = first(daysOf(of(0, 0), of(5, 0), of(0, 5), of(0, 0)));
    expect(rule).toMatchObject({ windows: { evaluated: 4, noData: 1 }, unknownShare: 0.25 });
    expect(rule.knownFromAt).toBe(dayAt(1).startAt);
    expect(rule.evaluatedMs).toBe(29 * DAY_MS);
  });

  test('counts as 0 if its baseline has a value', () => {
    expect(first(daysOf(of(0, 5), of(0, 0))).windows.noData).toBe(0);
  });

  const weighed = { current: { value: 0, weight: 400 }, baseline: { value: 0, weight: 400 } };

  test('counts as no value for a ratio', () => {
    const rule = ruleNamed('purchases', { filters: [], ratio: { of: 'purchase', to: 'search' } });
    expect(first(daysOf(weighed), { rules: [rule] }).windows.noData).toBe(1);
  });

  test('counts as 0 for a mean with sessions', () => {
    const rule = ruleNamed('purchases', { filters: [], metric: 'rage_gestures_per_session' });
    expect(first(daysOf(weighed), { rules: [rule] }).windows.noData).toBe(0);
  });
});

test('a rule without any segments is reported as watching nothing', () => {
  const rule = ruleNamed('purchases', { group_by: 'device_city' });
  expect(first([], { rules: [rule] }).unknownShare).toBe(1);
  expect(notes([], [rule])).toContain(
    'purchases watched nothing: no device_city was recorded; "deltawatch check --live" finds misspelt names.',
  );
});

describe('windows that could not be evaluated', () => {
  const gap = (day: number): ReplayEvent => {
    return {
      kind: 'unevaluated',
      at: tickOf(day),
      ruleId: 'purchases',
      reason: { code: 'app-sent-nothing' },
    };
  };
  const days = evaluatedDays(purchases, '!............!................', 'fn...........fn..............');
  const ratesOf = ({
    evaluatedMs,
    windows: { unevaluated },
    unknownShare,
    alertsPerMonth,
  }: ReturnType<typeof first>) => {
    return { evaluatedDays: evaluatedMs / DAY_MS, unevaluated, unknownShare, alertsPerMonth };
  };

  test.each<[string, ReplayEvent[], ReturnType<typeof ratesOf>]>([
    ['are none', days, { evaluatedDays: 30, unevaluated: 0, unknownShare: 0, alertsPerMonth: 2 }],
    [
      'are not counted before data begins',
      [...Array.from({ length: 10 }, (_, day) => gap(day)), ...days.slice(10)],
      { evaluatedDays: 20, unevaluated: 10, unknownShare: 1 / 3, alertsPerMonth: 1.5 },
    ],
    [
      'are counted after data ends',
      [...days.slice(0, 20), ...Array.from({ length: 10 }, (_, day) => gap(20 + day))],
      { evaluatedDays: 20, unevaluated: 10, unknownShare: 1 / 3, alertsPerMonth: 3 },
    ],
    [
      'are not counted if a later run evaluates them',
      [
        ...days.slice(0, 5),
        gap(5),
        ...days.slice(5).map((each) => ({ ...each, at: Math.max(each.at, tickOf(6)) })),
      ],
      { evaluatedDays: 30, unevaluated: 0, unknownShare: 0, alertsPerMonth: 2 },
    ],
  ])('%s', (_, events, expected) => {
    const found = ratesOf(first(events));
    expect(found).toEqual({ ...expected, unknownShare: expect.closeTo(expected.unknownShare) });
  });
});

test('a message is counted once for its channel and once for each of its rules', () => {
  const { channels, messages, rules } = report([sent(1, [purchases, searches]), sent(2, [searches])], {
    rules: [purchases, searches],
  });
  expect(messages).toBe(2);
  expect(channels).toEqual([{ route: 'default', channel: 'team', messages: 2, messagesPerMonth: 2 }]);
  expect(Object.fromEntries(rules.map((each) => [each.rule, each.messagesPerMonth]))).toEqual({
    purchases: 1,
    searches: 2,
  });
});

describe('notes', () => {
  const gap = (ruleId: string): ReplayEvent => {
    return { kind: 'unevaluated', at: tickOf(0), ruleId, reason: { code: 'app-sent-nothing' } };
  };

  test.each([
    ['settled', '....', 'Past data is final: it has no late uploads, no corrections'],
    ['too little past', '?????...', 'purchases had too little history for a baseline before 2026-03-07.'],
    ['no baseline', '????', 'purchases could not be evaluated in this period: there was no baseline.'],
    [
      'no data at all',
      '____',
      'purchases had no value above 0; "deltawatch check --live" finds misspelt names.',
    ],
  ])('%s', (_, days, note) => {
    expect(notes(evaluatedDays(purchases, days, '')).join('\n')).toContain(note);
  });

  test('name the reason of runs without an evaluation', () => {
    expect(notes([gap('purchases'), gap('purchases'), ...evaluatedDays(purchases, '..', '')])).toContain(
      'purchases could not be evaluated in 2 runs, mostly: the app has sent no data.',
    );
    expect(notes([gap('purchases')])).toContain(
      'purchases could not be evaluated in this period: the app has sent no data.',
    );
  });

  test('name the first day of data that begins in the period', () => {
    const beginsAt = (at: number | undefined) => ({ beginsAt: () => at });
    expect(beginningNotes([purchases, searches], beginsAt(MONDAY + 9 * DAY_MS), MONDAY)).toEqual([
      'The data of demo begins on 2026-03-11.',
    ]);
    expect(beginningNotes([purchases], beginsAt(MONDAY + DAY_MS), MONDAY)).toEqual([]);
    expect(beginningNotes([purchases], beginsAt(undefined), MONDAY)).toEqual([]);
  });
});

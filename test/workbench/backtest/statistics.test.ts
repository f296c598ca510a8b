import { describe, expect, test } from 'vitest';
import type { ReplayEvent } from '../../../local/replay/replayed.ts';
import type { Reading } from '../../../shared/readings/reading.ts';
import type { Rule } from '../../../shared/rules/rule.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { Ledger } from '../../../workbench/backtest/message-log.ts';
import { beginningNotes, notesOn } from '../../../workbench/backtest/notes.ts';
import { sensitivitiesText } from '../../../workbench/backtest/sensitivities.ts';
import { statisticsOf } from '../../../workbench/backtest/statistics.ts';
import { dayAt, evaluationOf, MONDAY, ruleNamed, ruleSetOf, value } from '../../fixtures/builders.ts';
import { evaluatedDays, sent, tickOf } from './events.ts';

const purchases = ruleNamed('purchases');
const searches = ruleNamed('searches');
const MONTH = { startAt: MONDAY, endAt: MONDAY + 30 * DAY_MS };

function statistics(events: ReplayEvent[], { rules = [purchases] }: { rules?: Rule[] } = {}) {
  const ledger = new Ledger(rules);
  for (const event of events) ledger.add(event);
  return statisticsOf(ledger, { ruleSet: ruleSetOf(...rules), span: MONTH, labels: undefined });
}

const first = (...given: Parameters<typeof statistics>) => {
  const [rule] = statistics(...given).rules;
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

  test('begin with the first breach that counted, and are found by the run that fired', () => {
    const [fire] = first(evaluatedDays(purchases, '.!.!', 'nppf')).fires;
    expect(fire?.onset).toEqual({ startAt: dayAt(1).startAt, endAt: dayAt(3).endAt });
    expect(fire?.at).toBe(tickOf(3));
    expect(fire?.figures).toEqual({ current: 40, baseline: 100, change: -0.6 });
  });

  test('of segments count for the rule, with their durations combined', () => {
    const rule = first([
      ...evaluatedDays(purchases, '!.', 'fn', 'DE'),
      ...evaluatedDays(purchases, '!!!.', 'fffn', 'FR'),
    ]);
    expect(rule.alerts).toBe(2);
    expect(rule.segments).toBe(2);
    expect(rule.openMs).toEqual({ total: 4 * DAY_MS, longest: 3 * DAY_MS, median: 2 * DAY_MS });
  });

  test('are sorted by rule, most alerts first', () => {
    const events = [...evaluatedDays(purchases, '!.', 'fn'), ...evaluatedDays(searches, '!.!.', 'fnfn')];
    const { rules } = statistics(events, { rules: [purchases, searches] });
    expect(rules.map(({ rule }) => rule.id)).toEqual(['searches', 'purchases']);
  });

  test('are converted to months of 30 days', () => {
    const span = { startAt: MONDAY, endAt: MONDAY + 60 * DAY_MS };
    const ledger = new Ledger([purchases]);
    for (const event of evaluatedDays(purchases, '!.!.!', 'fnfnf')) ledger.add(event);
    expect(
      statisticsOf(ledger, { ruleSet: ruleSetOf(purchases), span, labels: undefined }).alertsPerMonth,
    ).toBe(1.5);
  });
});

test('a restated window counts once, with its last verdict', () => {
  const [again] = evaluatedDays(purchases, '.', 'n');
  const rule = first([...evaluatedDays(purchases, '!?_.', 'nnnn'), ...(again ? [again] : [])]);
  expect(rule.windows).toEqual({ evaluated: 4, breached: 0, inconclusive: 1, noData: 1 });
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
    expect(notesOn(statistics(events)).join('\n')).toContain('purchases had no value above 0');
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
  const found = statistics([], { rules: [rule] });
  expect(found.rules[0]?.unknownShare).toBe(1);
  expect(notesOn(found).join('\n')).toContain(
    'purchases watched nothing: no value of device_city was recorded.',
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
  const ratesOf = ({ evaluatedMs, unevaluated, unknownShare, alertsPerMonth }: ReturnType<typeof first>) => {
    return { evaluatedDays: evaluatedMs / DAY_MS, unevaluated, unknownShare, alertsPerMonth };
  };

  test.each<[string, ReplayEvent[], ReturnType<typeof ratesOf>]>([
    ['are none', days, { evaluatedDays: 30, unevaluated: 0, unknownShare: 0, alertsPerMonth: 2 }],
    [
      'are not counted before data begins, even if evaluated later',
      [
        ...Array.from({ length: 10 }, (_, day) => gap(day)),
        ...days.map((each) => ({ ...each, at: Math.max(each.at, tickOf(10)) })),
      ],
      { evaluatedDays: 20, unevaluated: 10, unknownShare: 1 / 3, alertsPerMonth: 3 },
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

  test('are noted, because rates exclude them', () => {
    const events = [...Array.from({ length: 10 }, (_, day) => gap(day)), ...days.slice(10)];
    expect(notesOn(statistics(events)).join('\n')).toContain(
      'Monthly rates are based on the time that could be evaluated: purchases 20 days.',
    );
    expect(notesOn(statistics(days)).join('\n')).not.toContain('Monthly rates');
  });
});

test('a message is counted once for its channel and once for each of its rules', () => {
  const { channels, messages, rules } = statistics([sent(1, [purchases, searches]), sent(2, [searches])], {
    rules: [purchases, searches],
  });
  expect(messages).toBe(2);
  expect(channels).toEqual([{ route: 'default', channel: 'team', messages: 2, messagesPerMonth: 2 }]);
  expect(Object.fromEntries(rules.map((each) => [each.rule.id, each.messagesPerMonth]))).toEqual({
    purchases: 1,
    searches: 2,
  });
});

test('flapping is counted once for several channels', () => {
  const flapping = sent(3, [purchases], 'flapping');
  expect(first([flapping, { ...flapping, channel: 'other' }]).flaps).toBe(1);
});

describe('notes', () => {
  test.each([
    ['settled', '....', /final: it has no late uploads/],
    ['too little past', '?????...', /too little history.*purchases from 2026-03-07/],
    ['no baseline at all', '????', /purchases could not be evaluated in this period: there was no baseline/],
    ['no data at all', '____', /purchases had no value above 0: check events and filters/],
    ['no labels', '....', /incidents\.yaml/],
  ])('%s', (_, days, note) => {
    expect(notesOn(statistics(evaluatedDays(purchases, days, ''))).join('\n')).toMatch(note);
  });

  test('runs without an evaluation are noted with their reason', () => {
    const gap = {
      kind: 'unevaluated',
      at: tickOf(0),
      ruleId: 'purchases',
      reason: { code: 'app-sent-nothing' },
    } as const;
    const notes = notesOn(statistics([gap, gap, ...evaluatedDays(purchases, '..', '')])).join('\n');
    expect(notes).toContain('purchases could not be evaluated in 2 runs, mostly: the app has sent no data.');
  });
});

describe('data that begins in the period', () => {
  const beginsAt = (at: number | undefined) => ({ beginsAt: () => at });
  const both = { fromAt: MONDAY, fired: new Set(['purchases', 'newcomers']) };
  const neither = { fromAt: MONDAY, fired: new Set<string>() };
  const newcomers = ruleNamed('newcomers', { filters: [], metric: 'new_users' });

  test('has a note with its first day', () => {
    const note = 'The data of demo begins on 2026-03-11.';
    expect(beginningNotes([purchases], beginsAt(MONDAY + 9 * DAY_MS), both)).toEqual([note]);
    expect(beginningNotes([newcomers], beginsAt(MONDAY + 9 * DAY_MS), neither)).toEqual([note]);
    expect(beginningNotes([newcomers], beginsAt(MONDAY + DAY_MS), both)).toEqual([]);
    expect(beginningNotes([newcomers], beginsAt(undefined), both)).toEqual([]);
  });

  test('names the rules on new users that fired, because there are too many new users at first', () => {
    expect(beginningNotes([purchases, newcomers], beginsAt(MONDAY + 9 * DAY_MS), both)).toEqual([
      'The data of demo begins on 2026-03-11. Users who return count as new until the data has seen them, so alerts of newcomers in the first weeks can be false.',
    ]);
  });
});

describe('a note that holds for several rules', () => {
  const named = (count: number) => Array.from({ length: count }, (_, i) => ruleNamed(`rule-${i + 1}`));

  test.each([
    [1, 'rule-1 had no value above 0'],
    [2, 'rule-1 and rule-2 had no value above 0'],
    [8, 'rule-1, rule-2, rule-3, rule-4, rule-5 and 3 more had no value above 0'],
  ])('is shown once: %s', (count, note) => {
    const rules = named(count);
    const notes = notesOn(
      statistics(
        rules.flatMap((rule) => evaluatedDays(rule, '__', '')),
        { rules },
      ),
    );
    expect(notes.filter((each) => each.includes('no value above 0'))).toEqual([
      expect.stringContaining(`${note}: check`),
    ]);
  });

  test('says how many runs had no evaluation', () => {
    const rules = named(2);
    const gap = (ruleId: string): ReplayEvent => {
      return { kind: 'unevaluated', at: tickOf(0), ruleId, reason: { code: 'app-sent-nothing' } };
    };
    const gaps = [gap('rule-1'), gap('rule-2'), gap('rule-2')];
    const found = statistics([...gaps, ...rules.flatMap((rule) => evaluatedDays(rule, '..', ''))], { rules });
    expect(notesOn(found)).toContain(
      'rule-1 and rule-2 could not be evaluated in 1 to 2 runs, mostly: the app has sent no data.',
    );
  });
});

describe('the smallest change that fires', () => {
  const text = (events: ReplayEvent[], rule = purchases) => {
    const { sensitivities } = first(events, { rules: [rule] });
    return sensitivitiesText(rule, sensitivities);
  };

  test('is that of the last windows', () => {
    const events = evaluatedDays(purchases, '....', 'nnnn');
    expect(text(events)).toBe('with 100 a day expected, a fall fires from -30%, if significant');
  });

  test('is that of the largest segment, and counts those where nothing fires', () => {
    const rule = ruleNamed('purchases', { group_by: 'device_country', minimum: { baseline: 50 } });
    const small = evaluationOf(0, { current: value(10), baseline: value(10) });
    const events: ReplayEvent[] = [
      ...evaluatedDays(rule, '.', 'n', 'DE').map((each) => ({ ...each, evaluation: small })),
      ...evaluatedDays(rule, '.', 'n', 'FR'),
    ];
    expect(text(events, rule)).toBe(
      'FR (largest): with 100 a day expected, a fall fires from -30%, if significant; a fall cannot in 1 of 2 segments',
    );
  });

  test.each([
    ['since the replay began may be of any age', 0, undefined],
    ['that begin later are young', 1, 'no verdict before 2026-03-17, when two weeks of days are known'],
  ])('of series %s', (_, day, expected) => {
    const rule = ruleNamed('purchases', { compare: undefined, fire: undefined, anomaly: true });
    const window = dayAt(day - (day === 0 ? 1 : 0));
    const [event] = evaluatedDays(rule, '.', 'n');
    const events = event ? [{ ...event, evaluation: evaluationOf(0, { current: { window } }) }] : [];
    expect(text(events, rule)).toBe(expected);
  });

  test('is not that of a window evaluated again', () => {
    const [again, ...rest] = evaluatedDays(purchases, '..', 'nn');
    const old = evaluationOf(0, { baseline: value(1_000) });
    const events = again ? [again, ...rest, { ...again, evaluation: old }] : [];
    expect(text(events)).toContain('with 100 a day expected');
  });
});

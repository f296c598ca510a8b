import { describe, expect, test } from 'vitest';
import type { GroupBy } from '../../../shared/contract/grouping.ts';
import { type Breach, driverQuestions, pairQuestion } from '../../../shared/evaluation/driver-questions.ts';
import type { Answer } from '../../../shared/evaluation/driver-tables.ts';
import { driversOf, type Movement, nextQuestion } from '../../../shared/evaluation/drivers.ts';
import { driverSentences } from '../../../shared/messages/driver-text.ts';
import type { ReadingRow } from '../../../shared/readings/reading.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { dayAt, ruleNamed } from '../../fixtures/builders.ts';

const BY_NAME = { attribute: 'event_name', operator: 'equal', value: 'purchase' } as const;
const ON_IOS = { attribute: 'device_platform', operator: 'equal', value: 'ios' } as const;

function breachOf(overrides: Record<string, unknown> = {}, more: Partial<Breach> = {}): Breach {
  const rule = ruleNamed('purchases', overrides);
  return { rule, segment: null, window: dayAt(8), baselineWindow: dayAt(1), ...more };
}

/** The answer about these attributes, with a row for each text such as `'android 5.2'`; `others` is the rest. */
function answerOf(
  breach: Breach,
  attributes: GroupBy['attribute'][],
  rows: Record<string, [before: number | null, now: number | null]>,
  key = 'event_count',
): Answer {
  const [asked] = driverQuestions({ ...breach, segment: null });
  if (!asked) throw new RangeError('nothing to ask');
  return {
    question: { ...asked, groupBy: attributes.map((attribute) => ({ attribute })) },
    rows: Object.entries(rows).map(([values, [before, now]]) => ({
      ...(asked.eventNames?.length === 1 && { eventName: asked.eventNames[0] }),
      groups: values.split(' ').map((value) => (value === 'others' ? null : value)),
      ...(now !== null && { current: { [key]: now } }),
      ...(before !== null && { previous: { [key]: before } }),
    })),
  };
}

/** The sentences of a message for these answers. */
function sentencesOf(breach: Breach, moved: Movement, answers: Answer[]): string[] {
  const drivers = driversOf(breach, moved, answers);
  return drivers ? driverSentences(drivers, breach) : [];
}

describe('the questions about a breach', () => {
  const asked = (breach: Breach) =>
    driverQuestions(breach).map(({ groupBy }) => groupBy?.map(({ attribute }) => attribute));

  test('cover each attribute once, in both windows, with the filters of the rule', () => {
    const filters = [BY_NAME, { attribute: 'session_crashed', operator: 'equal', value: true }];
    const [first, ...others] = driverQuestions(breachOf({ filters }));
    expect(first).toEqual({
      app: 'demo',
      endpoint: 'event',
      calendar: { grain: 'day', zone: 'UTC' },
      window: dayAt(8),
      previous: dayAt(1),
      filters: [filters[1]],
      eventNames: ['purchase'],
      groupBy: [{ attribute: 'device_platform', max_group_number: 100 }],
      aggregations: [{ attribute: 'event_count' }],
    });
    expect(others).toHaveLength(4);
  });

  test.each<{ name: string; breach: Breach; attributes: string[] }>([
    {
      name: 'omit the screen name for sessions',
      breach: breachOf({ metric: 'sessions', filters: [] }),
      attributes: ['device_platform', 'app_version', 'device_country', 'device_model'],
    },
    {
      name: 'omit an attribute that the rule filters by',
      breach: breachOf({ filters: [BY_NAME, ON_IOS] }),
      attributes: ['app_version', 'device_country', 'device_model', 'event_screen_name'],
    },
    {
      name: 'omit the attribute of the segment',
      breach: breachOf({ group_by: 'device_country' }, { segment: 'MT' }),
      attributes: ['device_platform', 'app_version', 'device_model', 'event_screen_name'],
    },
    {
      name: 'skip a segment without a value',
      breach: breachOf({ group_by: 'device_country' }, { segment: '' }),
      attributes: [],
    },
    {
      name: 'skip the segment of all other values',
      breach: breachOf({ group_by: 'device_country' }, { segment: 'others' }),
      attributes: [],
    },
  ])('$name', ({ breach, attributes }) => {
    expect(asked(breach)).toEqual(attributes.map((attribute) => [attribute]));
  });

  test.each([
    ['device_country', 'MT', 'MT'],
    ['session_crashed', 'false', false],
    ['utm', '""', ''],
  ])('filter by the segment of %s named %s', (attribute, segment, value) => {
    const [first] = driverQuestions(breachOf({ group_by: attribute }, { segment }));
    expect(first).not.toHaveProperty('segmentBy');
    expect(first?.filters).toEqual([{ attribute, operator: 'equal', value }]);
  });

  const fallen = { current: 830, baseline: 1000 };
  const platforms = (breach: Breach) =>
    answerOf(breach, ['device_platform'], { ios: [600, 598], android: [400, 232] });
  const versions = (breach: Breach) =>
    answerOf(breach, ['app_version'], { '5.1': [820, 815], '5.2': [180, 15] });
  const countries = (breach: Breach) =>
    answerOf(breach, ['device_country'], { DE: [500, 414], MT: [500, 416] });

  test('continue with the pair of attributes that explain most', () => {
    const breach = breachOf();
    const next = nextQuestion(breach, fallen, [countries(breach), platforms(breach), versions(breach)]);
    expect(next?.groupBy).toEqual([
      { attribute: 'app_version', max_group_number: 21 },
      { attribute: 'device_platform', max_group_number: 21 },
    ]);
    expect(next).toMatchObject({ eventNames: ['purchase'], previous: dayAt(1) });
  });

  test('limit the groups of a pair to fit the two rows of a ratio', () => {
    const ratio = breachOf({ metric: undefined, filters: [], ratio: { of: 'purchase', to: 'view_item' } });
    const asking = driverQuestions(ratio);
    expect(asking[0]).toMatchObject({ eventNames: ['purchase', 'view_item'] });
    const next = pairQuestion(ratio, ['app_version', 'device_model']);
    expect(next.groupBy?.map((group) => group.max_group_number)).toEqual([14, 14]);
  });
});

const nothing = (named: string) => `No ${named} stands out against the others.`;

describe('the drivers of a breach', () => {
  const breach = breachOf();
  const platforms98 = answerOf(breach, ['device_platform'], { android: [980, 813], ios: [20, 17] });
  const fallen = { current: 830, baseline: 1000 };
  const versions = answerOf(breach, ['app_version'], { '5.1': [820, 815], '5.2': [180, 15] });
  const pair = answerOf(breach, ['device_platform', 'app_version'], {
    'android 5.1': [220, 217],
    'android 5.2': [180, 15],
    'ios 5.1': [600, 598],
  });

  test.each([
    [
      'a pair',
      [versions, pair],
      'Platform android with app version 5.2 explains 97% of the fall; before, it had 18% of the events.',
    ],
    [
      'one attribute until the pair is answered',
      [versions],
      'App version 5.2 explains 97% of the fall; before, it had 18% of the events.',
    ],
    [
      'one attribute that is not in the pair',
      [
        versions,
        answerOf(breach, ['device_platform', 'device_model'], { 'ios a': [500, 415], 'ios b': [500, 415] }),
      ],
      'App version 5.2 explains 97% of the fall; before, it had 18% of the events.',
    ],
  ])('name %s', (_, answers, sentence) => {
    expect(sentencesOf(breach, fallen, answers)).toEqual([sentence]);
    expect(sentencesOf(breach, fallen, answers.toReversed())).toEqual([sentence]);
  });

  test('list the compared attributes when nothing stands out', () => {
    const alike = answerOf(breach, ['device_country'], { DE: [500, 414], MT: [500, 416] });
    const models = answerOf(breach, ['device_model'], { a: [300, 250], b: [700, 580] });
    const screens = answerOf(breach, ['event_screen_name'], { Cart: [1000, 830] });
    const driversIn = (...answers: Answer[]) => driversOf(breach, fallen, answers);
    expect(driversIn(alike)).toMatchObject({ drivers: [], compared: ['device_country'] });
    expect(sentencesOf(breach, fallen, [alike, models, screens])).toEqual([nothing('country or model')]);
    expect(sentencesOf(breach, fallen, [alike, platforms98, models])).toEqual([
      nothing('country, platform or model'),
    ]);
    expect(driversIn(screens)).toBeNull();
    expect(driversIn()).toBeNull();
  });

  test.each<[string, Record<string, [number, number]>, string]>([
    ['that fell like the others', { android: [980, 380], ios: [20, 12] }, nothing('platform')],
    ['beside others too small to compare', { android: [998, 390], ios: [2, 2] }, nothing('platform')],
    [
      'while the others did not change',
      { android: [9800, 3800], ios: [200, 200] },
      'Platform android explains all of the fall; before, it had 98% of the events.',
    ],
    [
      'while the others fell less',
      { android: [9000, 3000], ios: [1000, 900] },
      'Platform android explains 98% of the fall; before, it had 90% of the events.',
    ],
    [
      'that fell to 0 while the others rose',
      { android: [9000, 0], ios: [1000, 1200] },
      'Platform android explains all of the fall; before, it had 90% of the events.',
    ],
  ])('describe a value with most events %s', (_name, rows, sentence) => {
    const [before, now] = [0, 1].map((i) => Object.values(rows).reduce((sum, row) => sum + (row[i] ?? 0), 0));
    const answer = answerOf(breach, ['device_platform'], rows);
    const moved = { current: now ?? 0, baseline: before ?? 0 };
    expect(sentencesOf(breach, moved, [answer])).toEqual([sentence]);
  });

  test('scale a longer baseline by its hours', () => {
    const [longer] = [{ startAt: dayAt(1).startAt - 24 * HOUR_MS, endAt: dayAt(1).endAt }];
    const doubled = { ...versions, question: { ...versions.question, previous: longer } };
    expect(driversOf(breach, fallen, [doubled])?.drivers[0]?.baseline).not.toBe(180);
    const twice = answerOf(breach, ['app_version'], { '5.1': [1640, 815], '5.2': [360, 15] });
    const answer = { ...twice, question: { ...twice.question, previous: longer } };
    expect(driversOf(breach, fallen, [answer])?.drivers[0]).toMatchObject({ baseline: 180, current: 15 });
  });

  test('exclude a value that was folded in one window', () => {
    const answer = answerOf(breach, ['device_model'], { a: [700, 650], b: [null, 150], others: [300, 30] });
    expect(driversOf(breach, fallen, [answer])?.drivers).toEqual([]);
    const gone = answerOf(breach, ['device_model'], { a: [700, 690], b: [160, null] });
    expect(driversOf(breach, fallen, [gone])?.drivers[0]).toMatchObject({
      values: { device_model: 'b' },
      current: 0,
    });
  });

  test('state that shares of unique users overlap', () => {
    const users = breachOf({ metric: 'event_users' });
    const key = 'event_unique_user_count';
    const answer = answerOf(
      users,
      ['app_version'],
      { '5.0': [600, 200], '5.1': [550, 200], '5.2': [350, 340] },
      key,
    );
    expect(sentencesOf(users, { current: 700, baseline: 1000 }, [answer])).toEqual([
      'App version 5.0 explains all of the fall; before, 60% of the users were seen with it.',
      'App version 5.1 explains all of the fall; before, 55% of the users were seen with it.',
      'The same users can appear in several of these, so the shares can add up to more than 100%.',
    ]);
  });
});

describe('the drivers of a mean', () => {
  const breach = breachOf({ metric: 'rage_gestures_per_session', filters: [] });
  type Means = [meanBefore: number, sessionsBefore: number, meanNow: number, sessionsNow: number];

  function meansOf(rows: Record<string, Means>): Answer {
    const figures = (mean: number, sessions: number) => ({
      avg_session_rage_gesture_count: mean,
      session_count: sessions,
    });
    const asked = answerOf(breach, ['device_country'], {});
    return {
      ...asked,
      rows: Object.entries(rows).map(
        ([value, [meanBefore, before, meanNow, now]]): ReadingRow => ({
          groups: [value],
          current: figures(meanNow, now),
          previous: figures(meanBefore, before),
        }),
      ),
    };
  }

  test('name the mix when every value moved the other way', () => {
    const answer = meansOf({ DE: [0.3, 8000, 0.33, 2000], MT: [0.05, 2000, 0.06, 8000] });
    expect(nextQuestion(breach, { current: 0.114, baseline: 0.25 }, [answer, answer])).toBeNull();
    expect(sentencesOf(breach, { current: 0.114, baseline: 0.25 }, [answer])).toEqual([
      'Country DE explains 59% of the fall by its weight: 80% of the sessions before, 20% now, at 0.33 rage gestures per session.',
      'Country MT explains 56% of the fall by its weight: 20% of the sessions before, 80% now, at 0.06 rage gestures per session.',
      'Within the countries, taken together, it rose by 0.02 rage gestures per session. Overall it fell, only because more of the sessions came from countries where it is low.',
    ]);
  });

  test('name the mix even when no single value stands out', () => {
    const small = (name: string, mean: number, before: number, now: number): [string, Means] => [
      name,
      [mean, before, mean + 0.01, now],
    ];
    const countries = Array.from({ length: 12 }, (_, i) =>
      i % 2 ? small(`low ${i}`, 0.1, 500, 1500) : small(`high ${i}`, 0.3, 1500, 500),
    );
    const drivers = driversOf(breach, { current: 0.16, baseline: 0.25 }, [
      meansOf(Object.fromEntries(countries)),
    ]);
    expect(drivers?.drivers).toEqual([]);
    expect(drivers && driverSentences(drivers, breach)).toEqual([
      expect.stringContaining('Overall it fell, only because'),
    ]);
  });

  test('of a ratio compare its two events', () => {
    const ratio = breachOf({ metric: undefined, filters: [], ratio: { of: 'purchase', to: 'view_item' } });
    const [asked] = driverQuestions(ratio);
    const row = (eventName: string, model: string, before: number, now: number): ReadingRow => ({
      eventName,
      groups: [model],
      current: { event_count: now },
      previous: { event_count: before },
    });
    const rows = [
      ...[row('purchase', 'a', 400, 396), row('view_item', 'a', 8000, 8000)],
      ...[row('purchase', 'b', 100, 4), row('view_item', 'b', 2000, 2000)],
    ];
    const question = asked && { ...asked, groupBy: [{ attribute: 'device_model' as const }] };
    const answers = question ? [{ question, rows }] : [];
    expect(sentencesOf(ratio, { current: 0.04, baseline: 0.05 }, answers)).toEqual([
      'Model b explains 96% of the fall. Its ratio fell from 5% to 0.2%; it had 20% of the view_item events.',
    ]);
  });
});

import { expect, test } from 'vitest';
import { readArchive } from '../../../local/replay/archive.ts';
import { archiveSource } from '../../../local/replay/archive-source.ts';
import type { MetricSource } from '../../../shared/alerting/ports.ts';
import type { RangeQuestion } from '../../../shared/alerting/reading.ts';
import type { FigureRule, Rule } from '../../../shared/alerting/rule.ts';
import { questionFor } from '../../../shared/alerting/series.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { createFakeMetricSource, type Fact } from '../../fakes/fake-metric-source.ts';
import { DAY, HOUR, MONDAY, ruleNamed } from '../../fixtures/builders.ts';

const FROM = MONDAY;
const TO = MONDAY + 90 * DAY;

const facts: Fact[] = Array.from({ length: 120 }, (_, day) => ({
  endpoint: 'event',
  at: FROM + (day - 30) * DAY + HOUR,
  attributes: { event_name: 'purchase', device_country: 'DE' },
  figures: { event_count: 1 },
}));

const read = (source: MetricSource, ...rules: Rule[]) =>
  readArchive({ rules, from: FROM, to: TO, sourceFor: () => source, clock: new ManualClock(TO) });

const named = (value: string) => [{ attribute: 'event_name', operator: 'equal', value }];

test('a family is two questions, whatever number of rules it has, and the app one more', async () => {
  const source = createFakeMetricSource(facts);
  const rules = Array.from({ length: 30 }, (_, i) =>
    ruleNamed(`rule-${i}`, { filters: named(`event-${i}`), compare: { median_of: '4 weeks' } }),
  );
  await read(source, ...rules);
  expect(source.ranges.map(({ eventNames }) => eventNames?.length)).toEqual([undefined, 30, 30]);
  expect(source.questions).toEqual([]);
});

test('an answer that would be too long is asked for in parts', async () => {
  const whole = createFakeMetricSource(facts);
  const most = 20_000;
  const rowsIn = ({ windows, segmentBy }: RangeQuestion) => windows.length * (segmentBy ? 200 : 1);
  const source: MetricSource = {
    ...whole,
    readRange: async (question) =>
      rowsIn(question) > most ? { kind: 'unsupported', reason: 'too many rows' } : whole.readRange(question),
  };
  const rule = ruleNamed('by-country', { group_by: 'device_country', compare: { to: 'same_weekday' } });
  const archive = await read(source, rule);
  expect(whole.questions).toEqual([]);
  const [first] = whole.ranges.filter(({ segmentBy }) => segmentBy);
  const [window] = first?.windows.slice(-1) ?? [];
  if (!first || !window) throw new Error('nothing was asked');
  expect(archive.rowsOf(first, window)).toMatchObject([{ segment: 'DE', current: { event_count: 1 } }]);
});

test('hours that two zones share have the figures of both', async () => {
  const sessions: Fact[] = Array.from({ length: 24 }, (_, hour) => ({
    ...{ endpoint: 'session', at: FROM + hour * HOUR },
    figures: { session_count: 10, session_new_users_count: 4 },
  }));
  const hourly = (id: string, of: object) => ruleNamed(id, { every: 'hour', filters: [], ...of });
  const inUtc = hourly('sessions', { metric: 'sessions', zone: 'UTC' });
  const inBerlin = hourly('new-users', { metric: 'new_users', zone: 'Europe/Berlin' });
  const clock = new ManualClock(FROM + DAY);
  const sourceFor = () => createFakeMetricSource(sessions);
  const span = { from: FROM + 22 * HOUR, to: FROM + DAY };
  const archive = await readArchive({ rules: [inUtc, inBerlin], ...span, sourceFor, clock });
  const source = archiveSource(archive, clock);
  const window = { startAt: FROM + 22 * HOUR, endAt: FROM + 23 * HOUR };
  const figuresFor = async (rule: FigureRule) => source.read(questionFor([rule], window));
  const both = (figures: object) => ({ value: [{ current: figures, previous: figures }] });
  expect(await figuresFor(inUtc)).toMatchObject(both({ session_count: 10 }));
  expect(await figuresFor(inBerlin)).toMatchObject(both({ session_new_users_count: 4 }));
});

test('days that the service parts otherwise are read one by one, two with each call', async () => {
  const source = createFakeMetricSource(facts, 'America/New_York');
  await read(source, ruleNamed('daily'));
  const windows = source.questions.flatMap(({ window, previous }) => [window.startAt, previous.startAt]);
  expect(new Set(windows).size).toBe(windows.length);
  expect(windows.length).toBeGreaterThan(90);
});

test('what cannot be read ends the reading, with the reason and the calls that it takes', async () => {
  const source = createFakeMetricSource(facts);
  source.failNext({ kind: 'budget-spent', reason: 'no calls are left this hour for the app "demo"' });
  await expect(read(source, ruleNamed('daily'))).rejects.toThrow(
    'the past of demo could not be read: no calls are left this hour for the app "demo". It takes at least 3 calls, of which 1 were made; nothing is judged on a part of it',
  );
});

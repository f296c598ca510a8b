import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { dataCommand } from '../../../cli/data/data.ts';
import { type Figures, figuresOfFolder } from '../../../local/figures.ts';
import type { MetricSource } from '../../../shared/readings/metric-source.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import { insensitiveRules } from '../../../workbench/live-check/insensitive-rules.ts';
import { ROUTES, ruleNamed } from '../../fixtures/builders.ts';
import { type Folder, temporaryFolder } from '../../fixtures/deltawatch.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const clock = new ManualClock(NOW);

let folder: Folder;
let figures: Figures;
beforeAll(async () => {
  folder = await temporaryFolder();
  const said = vi.spyOn(console, 'log').mockReturnValue();
  const quiet = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  await importEvents(folder.path);
  for (const spy of [said, quiet]) spy.mockRestore();
  figures = figuresOfFolder(folder.path, ['demo'], { clock, describe: 'the test data' });
});
afterAll(async () => {
  figures.close();
  await folder[Symbol.asyncDispose]();
});

/** Three weeks: about 2 orders and 40 visits an hour, 3 of 4 from Germany. */
async function importEvents(dir: string): Promise<void> {
  const rows = ['event_name,user_id,recorded_at,device_country'];
  for (let at = NOW - 21 * DAY_MS; at < NOW; at += HOUR_MS) {
    const counts = {
      order: 2 + Math.round(Math.sin(at / HOUR_MS)),
      visit: 40 + Math.round(4 * Math.sin((at / HOUR_MS) * 12.9898)),
    };
    for (const [name, count] of Object.entries(counts))
      for (let i = 0; i < count; i++) {
        const country = i % 4 === 0 ? 'Sweden' : 'Germany';
        rows.push(`${name},u${i},${new Date(at + i * 60_000).toISOString()},${country}`);
      }
  }
  const file = join(dir, 'events.csv');
  await writeFile(file, rows.join('\n'));
  const words = ['import', file, '--app', 'demo', '--zone', 'UTC', '--data', dir, '--yes'];
  await dataCommand(clock).parseAsync(words, { from: 'user' });
}

const counting = (event: string, own: Record<string, unknown>) =>
  ruleNamed(event, {
    every: 'hour at :15',
    filters: [{ attribute: 'event_name', operator: 'equal', value: event }],
    ...own,
  });
const SEASON = { compare: undefined, fire: undefined, anomaly: true };

test.each([
  [
    'few events',
    counting('order', SEASON),
    /^with [\d.]+ an hour expected, a rise fires from .*; a fall cannot: that is too few$/,
  ],
  ['enough events', counting('visit', SEASON), undefined],
  ['a wide bound', counting('visit', { fire: { change: { below: '-80%' } } }), undefined],
  [
    'a bound out of reach',
    counting('visit', { fire: { difference: { below: -90 } } }),
    /a fall cannot fire: the bounds/,
  ],
  [
    'a value below the minimum',
    counting('order', { minimum: { baseline: 30 } }),
    /below the minimum of the rule$/,
  ],
  [
    'small segments below the minimum',
    counting('visit', { group_by: 'device_country', minimum: { baseline: 15 } }),
    undefined,
  ],
  [
    'segments that are all below the default minimum',
    counting('order', { ...SEASON, group_by: 'device_country' }),
    /a rise and a fall cannot fire: that is below the minimum .*; a rise or fall cannot in 2 of 2 segments$/,
  ],
])('of %s', async (_, rule, said) => {
  const found = await insensitiveRules({ rules: [rule], routes: ROUTES }, { ...figures, clock });
  if (!said) expect(found).toEqual([]);
  else
    expect(found).toEqual([
      expect.objectContaining({ code: 'live-insensitive', message: expect.stringMatching(said) }),
    ]);
});

test('a young series needs more history', async () => {
  const daily = counting('visit', { ...SEASON, every: 'day at 01:00' });
  const early = new ManualClock(NOW - 12 * DAY_MS);
  const found = await insensitiveRules({ rules: [daily], routes: ROUTES }, { ...figures, clock: early });
  expect(found.map(({ message }) => message)).toEqual([
    'cannot fire yet: the seasonal model needs two weeks of days',
  ]);
});

test('a service that fails is named, with the rules', async () => {
  const failed = async () => ({ kind: 'failed', reason: 'the service is down', retryable: false }) as const;
  const source: MetricSource = { read: failed, readRange: failed, readNewestEventAt: failed };
  const rules = [counting('order', SEASON), counting('visit', SEASON)];
  const found = await insensitiveRules({ rules, routes: ROUTES }, { sourceFor: () => source, clock });
  expect(found.map(({ path, message }) => [path.join('.'), message])).toEqual([
    [
      'anomaly',
      expect.stringMatching(/^what order and 1 more would fire on cannot be read: .*the service is down/),
    ],
  ]);
});

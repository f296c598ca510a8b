import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type * as figures from '../../../cli/options/figures.ts';
import { previewCommand } from '../../../cli/rules/preview.ts';
import { backtestCommand } from '../../../cli/testing/backtest.ts';
import { suggestCommand } from '../../../cli/testing/suggest.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { InvalidRequestError } from '../../../shared/runtime/errors.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { createFakeMetricSource, type Fact } from '../../fakes/fake-metric-source.ts';
import { dayAt } from '../../fixtures/builders.ts';
import { type Folder, temporaryFolder } from '../../fixtures/deltawatch.ts';

const ROUTES = 'channels: { team: { slack: { webhook_secret: team } } }\ndefault: [team]\n';
const RULES = `
defaults: { app: shop, owner: growth, every: day at 07:00 }
rules:
  - { id: signups, title: Signups, metric: event_count, compare: { to: same_weekday }, fire: { change: { below: -20% } } }
  - { id: unusual, title: Unusual, metric: event_count, anomaly: true }
  - { id: both, title: Both, all_of: [signups, unusual] }
`;

/** 43 days of signups, four of them below the week before. */
const LOW: Record<number, number> = { 12: 7000, 20: 6500, 29: 4000, 38: 7500 };
const SIGNUPS = Array.from({ length: 43 }, (_, i): Fact => {
  const event_count = LOW[i] ?? 10_000 + (i % 7) * 20;
  return { endpoint: 'event', at: dayAt(i).startAt, figures: { event_count } };
});
vi.mock('../../../cli/options/figures.ts', async (original) => ({
  ...(await original<typeof figures>()),
  openFigures: async () => ({
    sourceFor: () => createFakeMetricSource(SIGNUPS),
    describe: 'the signups',
    close: () => {},
  }),
}));
const NOW = new ManualClock(dayAt(42).startAt + 7 * HOUR_MS);

let folder: Folder;
beforeAll(async () => {
  folder = await temporaryFolder();
  await writeFile(join(folder.path, 'routes.yaml'), ROUTES);
  await writeFile(join(folder.path, 'rules.yaml'), RULES);
});
afterAll(() => folder[Symbol.asyncDispose]());
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = 0;
});

type Build = typeof suggestCommand;

/** What the command prints. */
async function printed(build: Build, ...words: string[]): Promise<string> {
  const lines = vi.spyOn(console, 'log').mockReturnValue();
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  await build(NOW).parseAsync([...words, '--rules', folder.path, '--days', '41'], { from: 'user' });
  return lines.mock.calls.join('\n');
}

test('backtest prints a document and exits with 1 above the limit', async () => {
  const said = vi.spyOn(console, 'error').mockReturnValue();
  const report = await printed(backtestCommand, '--rule', 'signups', '--json', '--max-alerts-a-month', '1');
  expect(JSON.parse(report)).toMatchObject({
    figures: 'the signups',
    endAt: '2026-04-13T07:00:00.000Z',
    rules: [{ rule: 'signups', alerts: 4, alertsPerMonth: expect.closeTo(3.5, 1) }],
    comparison: null,
  });
  expect(said).toHaveBeenCalledWith('More than 1 alert a month.');
  expect(process.exitCode).toBe(1);
});

test('suggest prints bounds', async () => {
  expect(JSON.parse(await printed(suggestCommand, 'signups', '--json'))).toMatchObject({
    rule: 'signups',
    wished: 1,
    now: { fire: { change: { below: -0.2 } }, alerts: 4 },
    suggested: { alerts: 1 },
    yaml: [expect.stringMatching(/^fire: \{ change: \{ below: -[345]\d% \} \}$/)],
  });
});

test('preview prints the last message', async () => {
  expect((await printed(previewCommand, 'signups')).split('\n').slice(0, 6)).toEqual([
    'The last "fired", found Fri 10 Apr 2026, 07:00 (UTC)',
    'over 41 days, 2026-03-03 07:00Z to 2026-04-13 07:00Z',
    'of the signups',
    'notifies team (route default)',
    '-'.repeat(72),
    '🟠 Signups down 25%',
  ]);
});

test.each<[Build, string, string | RegExp]>([
  [suggestCommand, 'both', 'both watches other rules and has no bounds: run suggest for its members'],
  [suggestCommand, 'unusual', 'unusual has no bounds: it detects anomalies'],
  [
    previewCommand,
    'signup',
    /^there is no rule "signup" in the folder .* \(use --rules for another\); did you mean "signups"\?$/,
  ],
])('%o of %s fails with one sentence', async (build, id, said) => {
  const asked = printed(build, id);
  await expect(asked).rejects.toThrow(InvalidRequestError);
  await expect(asked).rejects.toThrow(said);
});

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { previewCommand } from '../../../cli/rules/preview.ts';
import { suggestCommand } from '../../../cli/testing/suggest.ts';
import { InvalidRequestError } from '../../../shared/runtime/errors.ts';
import { dayAt } from '../../fixtures/builders.ts';
import { deltawatch, temporaryFolder } from '../../fixtures/deltawatch.ts';

const ROUTES = 'channels: { team: { slack: { webhook_secret: team } } }\ndefault: [team]\n';
const RULES = `
defaults: { app: shop, owner: growth, every: day at 07:00 }
rules:
  - { id: signups, title: Signups, metric: event_count, compare: { to: same_weekday }, fire: { change: { below: -20% } } }
  - { id: unusual, title: Unusual, metric: event_count, anomaly: true }
  - { id: both, title: Both, all_of: [signups, unusual] }
`;

/** Rules, and 43 days of signups, four of them below the week before. */
async function workplace() {
  const folder = await temporaryFolder();
  const low: Record<number, number> = { 12: 7000, 20: 6500, 29: 4000, 38: 7500 };
  const rows = Array.from({ length: 43 }, (_, i) => {
    const value = low[i] ?? 10_000 + (i % 7) * 20;
    return `${new Date(dayAt(i).startAt).toISOString()},${value}`;
  });
  await writeFile(join(folder.path, 'routes.yaml'), ROUTES);
  await writeFile(join(folder.path, 'rules.yaml'), RULES);
  await writeFile(join(folder.path, 'signups.csv'), ['timestamp,value', ...rows].join('\n'));
  return folder;
}

const FILES = ['--rules', '.', '--readings', 'signups.csv'];

test('suggest prints bounds, and preview prints the last message, from --readings', async () => {
  await using folder = await workplace();
  const [suggested, previewed] = await Promise.all([
    deltawatch(['suggest', 'signups', ...FILES, '--json'], folder.path),
    deltawatch(['preview', 'signups', ...FILES], folder.path),
  ]);
  expect(suggested.code).toBe(0);
  expect(JSON.parse(suggested.stdout)).toMatchObject({
    rule: 'signups',
    wished: 1,
    now: { fire: { change: { below: -0.2 } }, alerts: 4, hits: null },
    suggested: { alerts: 1 },
    yaml: [expect.stringMatching(/^fire: \{ change: \{ below: -[345]\d% \} \}$/)],
  });
  expect(previewed.code).toBe(0);
  expect(previewed.stdout.split('\n').slice(0, 6)).toEqual([
    'The last "fired", found Fri 10 Apr 2026, 07:00 (UTC)',
    'over 41 days, 2026-03-03 07:00Z to 2026-04-13 07:00Z',
    'of signups.csv',
    'notifies team (route default)',
    '-'.repeat(72),
    '🟠 Signups down 25%',
  ]);
});

test.each([
  [
    suggestCommand,
    'both',
    'the rule both watches other rules and has no bounds: run suggest for its members',
  ],
  [suggestCommand, 'unusual', 'unusual has no bounds: it detects anomalies'],
  [
    previewCommand,
    'signup',
    /^there is no rule "signup" in the folder .* \(use --rules for another\); did you mean "signups"\?$/,
  ],
])('%o of %s fails with one sentence', async (command, id, said) => {
  await using folder = await workplace();
  const words = [id, '--rules', folder.path, '--readings', join(folder.path, 'signups.csv')];
  const asked = command().parseAsync(words, { from: 'user' });
  await expect(asked).rejects.toThrow(InvalidRequestError);
  await expect(asked).rejects.toThrow(said);
});

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { dayAt } from '../../fixtures/builders.ts';
import { deltawatch, temporaryFolder } from '../../fixtures/deltawatch.ts';

const ROUTES = 'channels: { team: { slack: { webhook_secret: team } } }\ndefault: [team]\n';
const RULES = `
defaults: { app: shop, owner: growth, every: day at 07:00, metric: event_count, fire: { change: { below: -40% } } }
rules:
  - { id: signups, title: Signups, compare: { to: previous_period } }
  - { id: other, title: Other, group_by: device_country }
`;

/** Rules, known incidents and 26 days of signups, two of them below half. */
async function workplace() {
  const folder = await temporaryFolder();
  const figures = [...Array(20).fill(10_000), 10_000, 4000, 4100, 10_000, 10_100, 10_000];
  const rows = figures.map((value, i) => `${new Date(dayAt(i).startAt).toISOString()},${value}`);
  await writeFile(join(folder.path, 'routes.yaml'), ROUTES);
  await writeFile(join(folder.path, 'rules.yaml'), RULES);
  await writeFile(join(folder.path, 'incidents.yaml'), INCIDENTS);
  await writeFile(join(folder.path, 'signups.csv'), ['timestamp,value', ...rows].join('\n'));
  return folder;
}

const INCIDENTS = 'incidents: [{ from: 2026-03-23, to: 2026-03-25, rules: [signups], title: Broken form }]\n';
const ASKED = ['backtest', '--rules', '.', '--rule', 'signups', '--readings', 'signups.csv'];

test('backtest prints a document and exits with 1 above the limit', async () => {
  await using folder = await workplace();
  const words = ['--json', '--max-alerts-a-month', '1'];
  const { code, stdout, stderr } = await deltawatch([...ASKED, ...words], folder.path);
  expect(JSON.parse(stdout)).toMatchObject({
    figures: 'signups.csv',
    rules: [
      {
        rule: 'signups',
        alerts: 1,
        openMs: { longest: 72 * HOUR_MS },
        fires: [{ foundAt: '2026-03-24T07:00:00.000Z' }],
      },
    ],
    hits: { precision: 1, recall: 1, medianDelayMs: 31 * HOUR_MS },
    incidents: [{ title: 'Broken form', foundBy: [{ rule: 'signups', delayMs: 31 * HOUR_MS }] }],
    comparison: null,
  });
  expect(stderr).toContain('More than 1 alert a month');
  expect(code).toBe(1);
});

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import {
  deltawatch,
  eventually,
  freePort,
  launchDeltawatch,
  RULES,
  temporaryFolder,
} from '../../fixtures/deltawatch.ts';
import { writeOwnShop } from '../../fixtures/own-shop.ts';

/** The day of the last daily run, which is at 00:30. */
const TODAY = Math.floor((Date.now() - HOUR_MS / 2) / DAY_MS) * DAY_MS;

test('start with a service in the configuration evaluates the last window of each rule at once', async () => {
  await using folder = await temporaryFolder();
  const { path } = folder;
  const busyAt = TODAY - DAY_MS;
  const shop = await writeOwnShop(path, { firstAt: TODAY - 5 * DAY_MS, lastAt: Date.now(), busyAt });
  const data = join(shop.state, 'data');
  const created = await deltawatch(['keys', 'create', '--data', data, '--app', 'own'], path);
  const [service, port] = [await freePort(), await freePort()];
  await using served = launchDeltawatch(['serve', '--data', data, '--port', `${service}`], path);
  await eventually('the service', async () => (await fetch(`http://127.0.0.1:${service}/health`)).ok);

  const elsewhere = join(path, 'elsewhere');
  await writeFile(
    join(path, 'deltawatch.config.ts'),
    `export default {
      rules: 'own-rules',
      figures: { service: 'http://127.0.0.1:${service}', apiKeySecret: 'figures-key' },
    };`,
  );
  const withoutKey = await deltawatch(['start', '--state', elsewhere, '--port', `${port}`], path);
  expect(withoutKey.stderr).toContain('there is no secret "figures-key": set DELTAWATCH_SECRET_FIGURES_KEY');

  const key = created.stdout.trim();
  const secrets = join(elsewhere, 'secrets.json');
  const kept: object = JSON.parse(await readFile(secrets, 'utf8'));
  await writeFile(secrets, JSON.stringify({ ...kept, 'figures-key': key }));
  await using system = launchDeltawatch(['start', '--state', elsewhere, '--port', `${port}`], path);
  const inbox = join(elsewhere, 'slack-inbox.ndjson');
  const text = await eventually('a message', async () => {
    const all = await readFile(inbox, 'utf8');
    return all.includes('Searches up') ? all : undefined;
  });
  expect(text).toContain('Warning: Searches up 400%');
  expect(system.printed()).toContain(`Figures come from the service at 127.0.0.1:${service}`);
  for (const each of [system, served]) {
    expect(each.printed()).not.toContain(key);
    each.kill('SIGINT');
    expect((await each.ended).code).toBe(0);
  }
});

test('start with tables in the configuration replays their last days', async () => {
  await using folder = await temporaryFolder();
  const { path } = folder;
  const busyAt = TODAY - 3 * DAY_MS;
  await writeOwnShop(path, { firstAt: TODAY - 6 * DAY_MS, lastAt: Date.now(), busyAt });
  await writeFile(
    join(path, 'deltawatch.config.ts'),
    `export default {
      rules: 'own-rules',
      figures: { sql: { engine: 'duckdb', apps: { own: { events: {
        files: 'events.ndjson',
        columns: { event_name: 'event_name', user_id: 'user_id', recorded_at: 'recorded_at' },
      } } } } },
    };`,
  );
  const port = await freePort();
  await using system = launchDeltawatch(['start', '--days', '4', '--port', `${port}`], path);
  await eventually('being live', () => system.printed().includes('Now live') || undefined);
  const inbox = await readFile(join(path, '.deltawatch', 'slack-inbox.ndjson'), 'utf8');
  expect(inbox).toContain('Warning: Searches up 400%');
  expect(inbox).toContain('Recovered: Searches back');
  const backtest = await deltawatch(['backtest', '--days', '3'], path);
  expect(backtest.stdout).toContain('your files');
  const strange = await deltawatch(['backtest', '--rules', RULES], path);
  expect(strange.stderr).toContain('error: figures of deltawatch.config.ts has no app "demo": it has own');
  system.kill('SIGINT');
  expect((await system.ended).code).toBe(0);
});

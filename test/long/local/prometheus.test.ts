import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { blocksIn, documentAt } from '../../docs/documents.ts';
import {
  deltawatch,
  eventually,
  freePort,
  launch,
  launchDeltawatch,
  temporaryFolder,
} from '../../fixtures/deltawatch.ts';
import { writeOwnShop } from '../../fixtures/own-shop.ts';
import { prometheusFolder } from './prometheus.ts';

const [scraping, rules] = blocksIn('text', [documentAt('docs/reference/alerts-api.md')]);
const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;

const programs = await prometheusFolder();
const targetsSchema = z.object({
  data: z.object({ activeTargets: z.tuple([z.object({ health: z.string(), lastError: z.string() })]) }),
});
const resultSchema = z.object({
  data: z.object({ result: z.array(z.object({ value: z.tuple([z.number(), z.string()]) })) }),
});

test.skipIf(programs === undefined)('Prometheus scrapes a running system as the document says', async () => {
  await using folder = await temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  const shop = await writeOwnShop(folder.path, {
    ...{ firstAt: TODAY - 4 * DAY_MS, lastAt: Date.now(), busyAt: TODAY - 2 * DAY_MS },
  });
  const [port, ownPort] = [await freePort(), await freePort()];
  const options = ['--rules', shop.rules, '--state', shop.state, '--port', `${port}`];
  await using system = launchDeltawatch(['start', ...options]);
  await eventually('being live', () => system.printed().includes('Now live') || undefined);
  const token = await deltawatch(['keys', 'create', '--alerts', 'read', '--state', shop.state]);
  await writeFile(at('token'), token.stdout);
  await writeFile(at('rules.yml'), rules?.text ?? '');
  const scrape = (scraping?.text ?? '')
    .replace('/etc/prometheus/deltawatch-token', at('token'))
    .replace('127.0.0.1:4100', `127.0.0.1:${port}`);
  const global = 'global: { scrape_interval: 1s, evaluation_interval: 1s }\nrule_files: [rules.yml]\n';
  await writeFile(at('prometheus.yml'), global + scrape);

  const promtool = join(programs ?? '', 'promtool');
  expect((await launch(promtool, ['check', 'config', at('prometheus.yml')]).ended).code).toBe(0);
  const headers = { Authorization: `Bearer ${token.stdout.trim()}` };
  const metrics = await fetch(`http://127.0.0.1:${port}/api/v1/metrics`, { headers });
  expect(await checked(promtool, await metrics.text())).toEqual({ code: 0, remarks: '' });

  await using _prometheus = launch(join(programs ?? '', 'prometheus'), [
    `--config.file=${at('prometheus.yml')}`,
    `--storage.tsdb.path=${at('series')}`,
    `--web.listen-address=127.0.0.1:${ownPort}`,
  ]);
  const ask = async (path: string): Promise<unknown> =>
    (await fetch(`http://127.0.0.1:${ownPort}/api/v1/${path}`)).json();
  const valuesOf = async (query: string) => {
    const { data } = resultSchema.parse(await ask(`query?${new URLSearchParams({ query })}`));
    return data.result.map(({ value: [, value] }) => value);
  };
  const target = await eventually('the first scrape', async () => {
    const [found] = targetsSchema.parse(await ask('targets')).data.activeTargets;
    return found.health === 'unknown' ? undefined : found;
  });
  expect(target).toEqual({ health: 'up', lastError: '' });
  expect(await valuesOf('deltawatch_rules')).toEqual(['2']);
  expect(await valuesOf('deltawatch_alerts')).toHaveLength(4);
  expect(await valuesOf('deltawatch_run_late')).toEqual(['0', '0']);
  expect(await valuesOf('ALERTS{alertstate="firing"}')).toEqual([]);
});

/** What `promtool check metrics` says of a text. */
async function checked(promtool: string, text: string): Promise<{ code: number | null; remarks: string }> {
  return new Promise((resolve) => {
    const child = execFile(promtool, ['check', 'metrics'], (_error, out, err) =>
      resolve({ code: child.exitCode, remarks: out + err }),
    );
    child.stdin?.end(text);
  });
}

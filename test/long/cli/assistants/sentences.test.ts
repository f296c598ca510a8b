import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import * as z from 'zod';
import { writeDemoApp } from '../../../../local/data/demo/demo-app.ts';
import { DAY_MS } from '../../../../shared/units/durations.ts';
import { type Folder, temporaryFolder } from '../../../fixtures/deltawatch.ts';

const sentences = z
  .array(z.object({ says: z.string(), rule: z.looseObject({ id: z.string() }) }))
  .parse(parse(readFileSync('test/fixtures/sentences.yaml', 'utf8')));

const UNTIL = '2026-03-01';
const DEFAULTS = { app: 'demo', owner: 'shop-team', zone: 'Europe/Berlin', every: 'day at 07:00' };

let folder: Folder;
let client: Client;
beforeAll(async () => {
  folder = await temporaryFolder();
  const until = Date.parse(UNTIL) + DAY_MS;
  await writeDemoApp({ dir: folder.path, app: 'demo', seed: 1, from: until - 91 * DAY_MS, until });
  client = new Client({ name: 'test', version: '1' });
  const args = ['cli/bin.js', 'mcp', '--data', folder.path, '--rules', folder.path, '--state', folder.path];
  // A line on standard output that is no message of the protocol is an error of the transport.
  client.onerror = (error) => expect.unreachable(error.message);
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
});
afterAll(async () => {
  await client.close();
  await folder[Symbol.asyncDispose]();
});

const checkedSchema = z.object({
  valid: z.boolean(),
  findings: z.array(z.object({ line: z.int(), severity: z.string(), message: z.string() })).default([]),
  problems: z.array(z.object({ line: z.int(), message: z.string() })).default([]),
});
const replayedSchema = z.object({
  ...{ alerts: z.int(), messagesPerMonth: z.number() },
  rules: z.tuple([z.object({ unknownShare: z.number(), fires: z.array(z.object({ text: z.string() })) })]),
});

async function answerOf<T>(schema: z.ZodType<T>, name: string, args: Record<string, unknown>): Promise<T> {
  const { structuredContent, content, isError } = await client.callTool({ name, arguments: args });
  expect(isError, JSON.stringify(content)).toBeUndefined();
  return schema.parse(structuredContent);
}

async function linesOf({ says, rule }: (typeof sentences)[number]): Promise<string[]> {
  const yaml = stringify({ defaults: DEFAULTS, rules: [rule] });
  const { valid, problems, findings } = await answerOf(checkedSchema, 'check_rule', { yaml });
  expect(problems).toEqual([]);
  expect(valid).toBe(true);
  const report = await answerOf(replayedSchema, 'backtest_rule', { yaml, days: 35, until: UNTIL });
  const [{ unknownShare, fires }] = report.rules;
  // A name that does not occur in the data has no figures.
  expect(unknownShare, says).toBeLessThan(1);
  return [
    ...[`${says}: ${rule.id}`, ...findings.map((each) => `  ${each.line} ${each.severity}: ${each.message}`)],
    `  alerts: ${report.alerts}; messages a month: ${report.messagesPerMonth}; unknown: ${Math.round(100 * unknownShare)}%`,
    ...fires.slice(0, 2).map(({ text }) => `  ${text}`),
  ];
}

test('fifty sentences are rules that check and backtest answer as before', async () => {
  expect(new Set(sentences.map(({ says }) => says)).size).toBe(50);
  const lines: string[] = [];
  for (const each of sentences) lines.push(...(await linesOf(each)));
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('sentences.txt');
});

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { ENDPOINTS } from '../../../functions/data-access/endpoints/endpoints.ts';
import { ERROR_STATUSES } from '../../../shared/contract/responses.ts';
import { blocksIn, codeIn, documentAt } from '../../docs/documents.ts';
import { eventually, freePort, launchDeltawatch, type Running } from '../../fixtures/deltawatch.ts';

const page = documentAt('docs/reference/data-access.md');
const blocks = blocksIn('sh', [page]).map(({ text }) => text);
const PORT = '4200';

/** A block of the page, and the response to each `curl` in it. */
interface Printed {
  readonly block: string;
  readonly answers: readonly unknown[];
}

let folder: string;
let port: number;
let service: Running;
let printed: Printed[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'data-access-'));
  port = await freePort();
  const at = blocks.findIndex((block) => block.includes('deltawatch serve'));
  await run(blocks.slice(0, at));
  await liftLimits();
  service = launchDeltawatch(argumentsOf(blocks[at] ?? ''), folder);
  await eventually('the service', async () => fetch(`http://127.0.0.1:${port}/docs`));
  printed = await run(blocks.slice(at + 1));
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const argumentsOf = (block: string): string[] =>
  block.replace('npx deltawatch ', '').replace(PORT, String(port)).trim().split(' ');

/** The test sends more than five requests a second; a reader does not. */
async function liftLimits(): Promise<void> {
  const path = join(folder, 'shop-data', 'shop.json');
  const settings = z.looseObject({}).parse(JSON.parse(await readFile(path, 'utf8')));
  await writeFile(path, JSON.stringify({ ...settings, rateLimit: { enforce: false } }));
}

/** Runs blocks in order in one shell. Every `curl` also writes its response to a file. */
async function run(pasted: readonly string[]): Promise<Printed[]> {
  const answers = await mkdtemp(join(folder, 'answers-'));
  const script = `
    set -euo pipefail
    npx() { shift; '${process.execPath}' '${join(process.cwd(), 'cli/bin.js')}' "$@"; }
    curl() { command curl "$@" | tee "$(mktemp "$ANSWERS/XXXXXXXX")"; }
    ${pasted.map((block, at) => `ANSWERS='${answers}/${at}'\n${block.replaceAll(PORT, String(port))}`).join('\n')}
  `;
  await Promise.all(pasted.map((_, at) => mkdir(join(answers, String(at)))));
  await promisify(execFile)('bash', ['-c', script], { cwd: folder, maxBuffer: 64 * 1024 * 1024 });
  return Promise.all(
    pasted.map(async (block, at) => ({ block, answers: await answersIn(join(answers, String(at))) })),
  );
}

async function answersIn(directory: string): Promise<unknown[]> {
  const names = await readdir(directory);
  return Promise.all(
    names.map(async (name): Promise<unknown> => JSON.parse(await readFile(join(directory, name), 'utf8'))),
  );
}

const successSchema = z.object({ success: z.literal(true), data: z.array(z.unknown()).min(1) });

test('every command of data-access.md succeeds and returns data', () => {
  const asked = printed.filter(({ block }) => /127\.0\.0\.1:4200\/(v2|api)/.test(block));
  expect(asked.length).toBeGreaterThan(6);
  for (const { block, answers } of asked) {
    expect(answers).toHaveLength(block.match(/\bcurl /g)?.length ?? 0);
    for (const answer of answers) successSchema.parse(answer);
  }
});

test('data-access.md names only existing error codes and endpoints', () => {
  const codes = codeIn(page.prose).filter((code) => /^[A-Z]+_[A-Z_]+$/.test(code));
  expect(codes.filter((code) => !(code in ERROR_STATUSES))).toEqual([]);
  const paths = blocks.flatMap((block) =>
    [...block.matchAll(/4200(\/(?:v2|api)[\w/-]*)/g)].map(([, path]) => path),
  );
  const known = ENDPOINTS.map(({ path }) => path);
  expect(paths.filter((path) => !known.includes(path ?? ''))).toEqual([]);
});

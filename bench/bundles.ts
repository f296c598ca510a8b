import { execFile } from 'node:child_process';
import { glob, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod';

export interface BundleFigures {
  /** The size of all code in the bundle, uncompressed. */
  bytes: number;
  /** The CPU times to load the handler, each in a new Node process; sorted. */
  loadMs: number[];
}

const LOAD = `
  const before = process.cpuUsage();
  const { handler } = await import(process.argv[1]);
  const { user, system } = process.cpuUsage(before);
  const ms = (user + system) / 1000;
  console.log(JSON.stringify({ ms, handler: typeof handler }));
`;
const loadedSchema = z.object({ ms: z.number(), handler: z.literal('function') });

/** Loads the bundle in `folder` like Lambda, `times` times. Throws if it does not load or exports no handler. */
export async function measureBundle(
  folder: string,
  environment: Record<string, string>,
  times: number,
): Promise<BundleFigures> {
  const file = join(folder, 'index.mjs');
  let bytes = 0;
  for await (const code of glob(join(folder, '*.{mjs,cjs}'))) bytes += (await stat(code)).size;
  const loadMs: number[] = [];
  for (let i = 0; i < times; i++) {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', LOAD, pathToFileURL(file).href],
      { cwd: folder, env: { ...environment, AWS_REGION: 'eu-central-1' } },
    );
    loadMs.push(loadedSchema.parse(JSON.parse(stdout)).ms);
  }
  return { bytes, loadMs: loadMs.sort((a, b) => a - b) };
}

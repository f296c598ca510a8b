import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { HOUR_MS } from '../shared/units/durations.ts';

/** The windows of two lengths of history. */
const LENGTHS = [100_000, 400_000];

/** Prints the peak memory of the process in bytes when it exits. */
const PRINT_MEMORY =
  'data:text/javascript,process.on("exit",()=>console.error(process.resourceUsage().maxRSS*1024))';

interface Run {
  windows: number;
  seconds: number;
  windowsPerSecond: number;
  /** Peak memory of the process. */
  megabytes: number;
  bytesPerWindow: number;
}

/**
 * Measures `deltawatch evaluate --json`: its time, including the start, its peak memory and the size of its output.
 * `growth`: memory of the long series, divided by that of the short one.
 */
export async function run(): Promise<{ runs: Run[]; growth: number }> {
  const dir = await mkdtemp(join(tmpdir(), 'deltawatch-evaluate-'));
  try {
    const runs: Run[] = [];
    for (const windows of LENGTHS) {
      const file = join(dir, `${windows}.csv`);
      await pipeline(Readable.from(rowsOf(windows + 1)), createWriteStream(file));
      const measured = await measure(file, windows);
      const { seconds, windowsPerSecond, megabytes, bytesPerWindow } = measured;
      console.log(
        `${windows} windows: ${seconds.toFixed(1)} s, ${windowsPerSecond} a second, ${megabytes} MB, ${bytesPerWindow} bytes printed per window`,
      );
      runs.push(measured);
    }
    const [short, long] = runs;
    return { runs, growth: (long?.megabytes ?? 0) / (short?.megabytes ?? 1) };
  } finally {
    await rm(dir, { recursive: true });
  }
}

async function measure(file: string, windows: number): Promise<Run> {
  const args = ['--import', PRINT_MEMORY, 'cli/bin.js', 'evaluate', file, '--every', '1h', '--json'];
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...args, '--zone', 'Europe/Berlin'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = 0;
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.length));
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  await once(child, 'close');
  if (child.exitCode !== 0) throw new Error(`evaluate exited with code ${child.exitCode}: ${errors}`);
  const seconds = (performance.now() - startedAt) / 1_000;
  const bytes = Number(errors.trim().split('\n').at(-1));
  return {
    windows,
    seconds,
    windowsPerSecond: Math.round(windows / seconds),
    megabytes: Math.round(bytes / 1e6),
    bytesPerWindow: Math.round(printed / windows),
  };
}

/** A series with a daily pattern and noise. Single windows and whole days fall by two thirds at random. */
function* rowsOf(count: number): Generator<string> {
  let state = 1;
  const draw = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
  let badUntil = 0;
  yield 'timestamp,value\n';
  for (let i = 0; i < count; i++) {
    // Evaluating a series with an open alert takes longer than one without.
    if (draw() < 1 / (20 * 24)) badUntil = i + 24;
    const normal = (1_000 + 800 * Math.sin((i * Math.PI) / 12)) * (0.95 + 0.1 * draw());
    const value = Math.round(i < badUntil || draw() < 0.001 ? normal / 3 : normal);
    yield `${new Date(Date.UTC(2000, 0) + i * HOUR_MS).toISOString()},${value}\n`;
  }
}

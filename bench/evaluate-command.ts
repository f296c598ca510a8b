import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { MINUTE_MS } from '../shared/units/durations.ts';

/** Two lengths of history, and windows of less than an hour. */
const SERIES = [
  { windows: 100_000, every: '1h', minutes: 60 },
  { windows: 400_000, every: '1h', minutes: 60 },
  { windows: 100_000, every: '10m', minutes: 10 },
] as const;
type Series = (typeof SERIES)[number];

/** Prints the peak memory of the process in bytes when it exits. */
const PRINT_MEMORY =
  'data:text/javascript,process.on("exit",()=>console.error(process.resourceUsage().maxRSS*1024))';

interface Run {
  windows: number;
  every: string;
  seconds: number;
  windowsPerSecond: number;
  /** Peak memory of the process. */
  megabytes: number;
  bytesPerWindow: number;
}

/**
 * Measures `deltawatch evaluate --json`: its time, including the start, its peak memory and the size of its output.
 * `growth`: memory of the long series, divided by that of the short one. `tenMinutes`: time of ten-minute windows,
 * divided by that of the same number of hours.
 */
export async function run(): Promise<{ runs: Run[]; growth: number; tenMinutes: number }> {
  const dir = await mkdtemp(join(tmpdir(), 'deltawatch-evaluate-'));
  try {
    const runs: Run[] = [];
    for (const series of SERIES) {
      const { windows, every, minutes } = series;
      const file = join(dir, `${windows}-${every}.csv`);
      await pipeline(Readable.from(rowsOf(windows + 1, minutes)), createWriteStream(file));
      const measured = await measure(file, series);
      const { seconds, windowsPerSecond, megabytes, bytesPerWindow } = measured;
      console.log(
        `${windows} windows of ${every}: ${seconds.toFixed(1)} s, ${windowsPerSecond} a second, ${megabytes} MB, ${bytesPerWindow} bytes printed per window`,
      );
      runs.push(measured);
    }
    const [short, long, tenMinutes] = runs;
    return {
      runs,
      growth: (long?.megabytes ?? 0) / (short?.megabytes ?? 1),
      tenMinutes: (tenMinutes?.seconds ?? 0) / (short?.seconds ?? 1),
    };
  } finally {
    await rm(dir, { recursive: true });
  }
}

async function measure(file: string, { windows, every }: Series): Promise<Run> {
  const args = ['--import', PRINT_MEMORY, 'cli/bin.js', 'evaluate', file, '--every', every, '--json'];
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
    ...{ windows, every },
    seconds,
    windowsPerSecond: Math.round(windows / seconds),
    megabytes: Math.round(bytes / 1e6),
    bytesPerWindow: Math.round(printed / windows),
  };
}

/** A series with a daily pattern and noise. Single windows and whole days fall by two thirds at random. */
function* rowsOf(count: number, minutes: number): Generator<string> {
  let state = 1;
  const draw = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
  const day = (24 * 60) / minutes;
  let badUntil = 0;
  yield 'timestamp,value\n';
  for (let i = 0; i < count; i++) {
    // Evaluating a series with an open alert takes longer than one without.
    if (draw() < 1 / (20 * day)) badUntil = i + day;
    const normal = (1_000 + 800 * Math.sin((i * 2 * Math.PI) / day)) * (0.95 + 0.1 * draw());
    const value = Math.round(i < badUntil || draw() < 0.001 ? normal / 3 : normal);
    yield `${new Date(Date.UTC(2000, 0) + i * minutes * MINUTE_MS).toISOString()},${value}\n`;
  }
}

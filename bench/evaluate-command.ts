import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const HOUR = 3_600_000;
const SIZES = [100_000, 400_000];

/** Tells the most memory that the process held, in bytes, when it ends. */
const TELL_MEMORY =
  'data:text/javascript,process.on("exit",()=>console.error(process.resourceUsage().maxRSS*1024))';

interface Run {
  windows: number;
  seconds: number;
  windowsPerSecond: number;
  megabytes: number;
}

/** `deltawatch evaluate --json` over series of two lengths: how long it takes, start included, and how much it holds. */
export async function run(): Promise<{ runs: Run[]; growth: number }> {
  const dir = await mkdtemp(join(tmpdir(), 'deltawatch-evaluate-'));
  try {
    const runs: Run[] = [];
    for (const windows of SIZES) {
      const file = join(dir, `${windows}.csv`);
      await pipeline(Readable.from(seriesOf(windows + 1)), createWriteStream(file));
      const measured = await measure(file, windows);
      console.log(
        `${windows} windows: ${measured.seconds.toFixed(1)} s, ${measured.windowsPerSecond} a second, ${measured.megabytes} MB`,
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
  const args = ['--import', TELL_MEMORY, 'cli/bin.js', 'evaluate', file, '--every', '1h', '--json'];
  const begun = performance.now();
  const child = spawn(process.execPath, [...args, '--zone', 'Europe/Berlin'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  await once(child, 'close');
  if (child.exitCode !== 0) throw new Error(`evaluate ended with ${child.exitCode}: ${errors}`);
  const seconds = (performance.now() - begun) / 1_000;
  const bytes = Number(errors.trim().split('\n').at(-1));
  return {
    windows,
    seconds,
    windowsPerSecond: Math.round(windows / seconds),
    megabytes: Math.round(bytes / 1e6),
  };
}

/** Hours with a daily wave, some noise, and now and then an hour that falls by two thirds. */
function* seriesOf(hours: number): Generator<string> {
  let state = 1;
  const draw = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
  yield 'timestamp,value\n';
  for (let hour = 0; hour < hours; hour++) {
    const usual = (1_000 + 800 * Math.sin((hour * Math.PI) / 12)) * (0.95 + 0.1 * draw());
    const value = Math.round(draw() < 0.001 ? usual / 3 : usual);
    yield `${new Date(Date.UTC(2000, 0) + hour * HOUR).toISOString()},${value}\n`;
  }
}

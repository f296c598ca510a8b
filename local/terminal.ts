import { SingleBar } from 'cli-progress';
import type { Logger } from '../shared/runtime/logger.ts';
import type { Meter } from '../shared/runtime/metrics.ts';
import { printable } from '../shared/runtime/redaction.ts';
import { bad, doubtful } from './colour.ts';

/** Prints errors to the terminal. */
export const terminalLogger: Logger = {
  info: () => {},
  warn: (message, fields) =>
    console.error(`${doubtful('warning:', process.stderr)} ${sentence(message, fields)}`),
  error: (message, fields) => console.error(`${bad('error:', process.stderr)} ${sentence(message, fields)}`),
};

/** A local run has no metrics collector. */
export const silentMeter: Meter = { count: () => {}, measure: () => {} };

function sentence(message: string, fields: Record<string, unknown> = {}): string {
  const details = Object.entries(fields).map(
    ([name, value]) => `${name}=${value instanceof Error ? value.message : JSON.stringify(value)}`,
  );
  return printable([message, ...details].join(' '));
}

type Terminal = NodeJS.WritableStream & { isTTY?: boolean };

/** A progress bar on terminals. Other streams get a line per quarter of the work, once. */
export function progressLine(stream: Terminal = process.stderr) {
  return stream.isTTY ? movingBar(stream) : quarterLines(stream);
}

/** Open bars. Each keeps the process alive until it is stopped. */
const moving = new Set<SingleBar>();

/** Stops the bars that an error left open. */
export function endProgress(): void {
  for (const bar of moving) bar.stop();
  moving.clear();
}

function movingBar(stream: Terminal) {
  let bar: SingleBar | undefined;
  return {
    show(text: string, done: number, total: number): void {
      if (!bar) {
        bar = new SingleBar({ ...BAR, stream });
        bar.start(1, 0, { text });
        moving.add(bar);
      }
      bar.update(shareOf(done, total), { text });
    },
    /** Clears the bar, so that later output replaces it. */
    end(): void {
      bar?.stop();
      if (bar) moving.delete(bar);
      bar = undefined;
    },
  };
}

/** Fits 80 columns with texts of up to 40 letters. Keeps the cursor visible: a signal may end the process. */
const BAR = {
  format: '{text} [{bar}] {percentage}%',
  barsize: 24,
  clearOnComplete: true,
  hideCursor: false,
  linewrap: true,
};

function quarterLines(stream: Terminal) {
  // Steps are repeated: an example of a message replays the same days with several figures.
  const shown = new Map<string, number>();
  return {
    show(text: string, done: number, total: number): void {
      const share = shareOf(done, total);
      const quarter = Math.floor(share * 4);
      if (quarter <= (shown.get(text) ?? -1)) return;
      stream.write(`${text} ${Math.floor(share * 100)}%\n`);
      shown.set(text, quarter);
    },
    end(): void {},
  };
}

function shareOf(done: number, total: number): number {
  return total > 0 ? Math.min(1, done / total) : 1;
}

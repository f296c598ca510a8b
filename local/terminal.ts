import type { Logger } from '../shared/runtime/logger.ts';
import type { Meter } from '../shared/runtime/metrics.ts';
import { printable } from '../shared/runtime/redaction.ts';
import { bad, doubtful } from './colour.ts';

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

const BAR = 24;
const CLEARED = '\r\u001b[K';

/** A progress bar in 80 columns, for texts of up to 40 letters. Other streams get each quarter as a line, once. */
export function progressLine(stream: Terminal = process.stderr) {
  // Steps are repeated: an example of a message replays the same days with several figures.
  const quarters = new Map<string, number>();
  return {
    show(text: string, done: number, total: number): void {
      const share = total > 0 ? Math.min(1, done / total) : 1;
      const percent = `${Math.floor(share * 100)}%`;
      if (stream.isTTY) {
        const bar = '='.repeat(Math.floor(share * BAR)).padEnd(BAR, '-');
        stream.write(`${CLEARED}${text} [${bar}] ${percent}`);
        return;
      }
      const quarter = Math.floor(share * 4);
      if (quarter <= (quarters.get(text) ?? -1)) return;
      stream.write(`${text} ${percent}\n`);
      quarters.set(text, quarter);
    },
    /** Clears the bar, so that later output replaces it. */
    end(): void {
      if (stream.isTTY) stream.write(CLEARED);
    },
  };
}

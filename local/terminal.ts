import type { Logger } from '../shared/runtime/logger.ts';
import type { Meter } from '../shared/runtime/metrics.ts';
import { printable } from '../shared/runtime/redaction.ts';

/** Tells a person at a terminal what went wrong; what went well shows in the result. */
export const terminalLogger: Logger = {
  info: () => {},
  warn: (message, fields) => console.error(sentence('warning', message, fields)),
  error: (message, fields) => console.error(sentence('error', message, fields)),
};

/** Nobody collects metrics of a run on one machine. */
export const silentMeter: Meter = { count: () => {} };

/** 1 and "alert" as "1 alert", 1200 as "1,200 alerts". */
export function counted(n: number, noun: string): string {
  return `${n.toLocaleString('en-US')} ${noun}${n === 1 ? '' : 's'}`;
}

function sentence(level: string, message: string, fields: Record<string, unknown> = {}): string {
  const details = Object.entries(fields).map(
    ([name, value]) => `${name}=${value instanceof Error ? value.message : JSON.stringify(value)}`,
  );
  return printable([`${level}: ${message}`, ...details].join(' '));
}

/** A line that is rewritten in place on a terminal, and elsewhere printed at most once per tenth of the work. */
export function progressLine(stream: NodeJS.WriteStream = process.stderr) {
  let lastTenth = -1;
  let open = false;
  return {
    show(text: string, done: number, total: number): void {
      const share = total > 0 ? Math.min(1, done / total) : 1;
      const line = `${text} ${Math.floor(share * 100)} %`;
      if (stream.isTTY) {
        stream.write(`\r\u001b[K${line}`);
        open = true;
        return;
      }
      const tenth = Math.floor(share * 10);
      if (tenth !== lastTenth) stream.write(`${line}\n`);
      lastTenth = tenth;
    },
    /** Clears the line, so that what follows takes its place. */
    end(): void {
      if (open) stream.write('\r\u001b[K');
      open = false;
    },
  };
}

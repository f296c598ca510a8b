import { InvalidArgumentError } from 'commander';
import type { Millis } from '../shared/runtime/clock.ts';

/** Follows every error of usage. */
export const HINT = '(--help tells more)';

// Each reads the words of an option, or throws `InvalidArgumentError` saying what can be written.

export function instant(text: string): Millis {
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.test(text);
  const at = isTime ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at))
    throw new InvalidArgumentError('Write a date, 2026-03-01, or a time with its offset, 2026-03-01T06:00Z.');
  return at;
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Write a whole number.');
  return Number(text);
}

export function wholeNumberIn(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`Write a whole number from ${least} to ${most}.`);
  };
}

/** Of an option that is repeated for more. */
export function listOf(value: string, before: string[] = []): string[] {
  return [...before, value];
}

/** What `--help` ends with: commands to try, each with what it is for. */
export function examples(...each: [command: string, purpose: string][]): string {
  const lines = each.flatMap(([command, purpose]) => [`  # ${purpose}`, `  npx deltawatch ${command}`]);
  return ['', 'Examples:', ...lines].join('\n');
}

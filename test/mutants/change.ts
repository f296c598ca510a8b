import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Mutant } from '@stryker-mutator/api/core';

/** The lines of a mutant before and after, with white space collapsed. */
export interface Change {
  file: string;
  line: number;
  from: string;
  to: string;
}

/** Lines and columns of a mutant count from 0. */
export function changeOf({ fileName, location, replacement }: Mutant): Change {
  const { start, end } = location;
  const lines = linesOf(fileName).slice(start.line, end.line + 1);
  const before = (lines[0] ?? '').slice(0, start.column);
  const after = (lines.at(-1) ?? '').slice(end.column);
  return {
    file: relative(process.cwd(), fileName),
    line: start.line + 1,
    from: collapsed(lines.join(' ')),
    to: collapsed(`${before}${replacement}${after}`),
  };
}

export const collapsed = (text: string) => text.replace(/\s+/g, ' ').trim();

const kept = new Map<string, string[]>();

function linesOf(file: string): string[] {
  const lines = kept.get(file) ?? readFileSync(file, 'utf8').split('\n');
  kept.set(file, lines);
  return lines;
}

import { createReadStream } from 'node:fs';

/** A line of a text file, without its line ending. Counts from 1. */
export interface Line {
  line: number;
  text: string;
}

const BYTES_AT_ONCE = 1 << 20;

/** Reads the lines of a UTF-8 file in batches of about a megabyte. */
export async function* readLines(file: string): AsyncGenerator<Line[]> {
  let line = 0;
  let rest = '';
  const toLine = (text: string): Line => {
    line += 1;
    return { line, text: text.endsWith('\r') ? text.slice(0, -1) : text };
  };
  for await (const chunk of createReadStream(file, { encoding: 'utf8', highWaterMark: BYTES_AT_ONCE })) {
    const texts = (rest + withoutMark(chunk, line)).split('\n');
    rest = texts.pop() ?? '';
    if (texts.length > 0) yield texts.map(toLine);
  }
  if (rest !== '') yield [toLine(rest)];
}

/** Spreadsheets write a byte order mark, which would become part of the first column name. */
function withoutMark(chunk: string, linesBefore: number): string {
  return linesBefore === 0 && chunk.startsWith('\uFEFF') ? chunk.slice(1) : chunk;
}

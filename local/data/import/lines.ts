import { createReadStream } from 'node:fs';

/** One line of a text file, counted from 1, without its end. */
export interface Line {
  line: number;
  text: string;
}

const BYTES_AT_ONCE = 1 << 20;

/** The lines of a UTF-8 file, a megabyte of them at a time. */
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

/** Spreadsheets put a byte order mark before the first line, where it would become part of a name. */
function withoutMark(chunk: string, linesBefore: number): string {
  return linesBefore === 0 && chunk.startsWith('\uFEFF') ? chunk.slice(1) : chunk;
}

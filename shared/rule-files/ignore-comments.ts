import {
  type Document,
  isCollection,
  isMap,
  isPair,
  isScalar,
  type LineCounter,
  type Node,
  visit,
} from 'yaml';
import * as z from 'zod';
import { CODES, type Code } from '../lint/findings.ts';
import { didYouMean } from '../text/nearest-words.ts';

/** A comment that starts with `deltawatch-ignore`. Lines and columns start at 1. */
export interface IgnoreComment {
  line: number;
  column: number;
  /** The text after `deltawatch-ignore`. */
  words: string;
  /** The lines that it covers, inclusive. A comment at the top of the file covers all of it. */
  from: number;
  through: number;
}

const MARK = /(?:^|\s)(?:#|\/\/)\s*deltawatch-ignore\b:?\s*(?<words>.*)$/;

/** The ignore comments of a YAML text. Before an entry or a key they cover all of it, after one only its line. */
export function ignoreCommentsInYaml(document: Document.Parsed, lines: LineCounter, text: string) {
  const texts = text.split(/\r?\n/);
  const ends = entryEnds(document, lines);
  return commentsOf(texts).map(({ line, column, words }): IgnoreComment => {
    const place = { line, column, words };
    const isAfterText = texts[line - 1]?.slice(0, column - 1).trim() !== '';
    if (isAfterText) return { ...place, from: line, through: line };
    if (texts.slice(0, line).every(isBare)) return { ...place, from: 1, through: Infinity };
    const next = texts.findIndex((each, i) => i >= line && !isBare(each)) + 1;
    return { ...place, from: next || line, through: ends.get(next) ?? (next || line) };
  });
}

/** The ignore comments of a TypeScript text. Each is on its own line and covers the whole file. */
export function ignoreCommentsInTypeScript(text: string): IgnoreComment[] {
  const texts = text.split(/\r?\n/);
  return commentsOf(texts).flatMap((comment) =>
    texts[comment.line - 1]?.slice(0, comment.column - 1).trim() === ''
      ? [{ ...comment, from: 1, through: Infinity }]
      : [],
  );
}

function commentsOf(texts: string[]): Pick<IgnoreComment, 'line' | 'column' | 'words'>[] {
  return texts.flatMap((text, i) => {
    const words = MARK.exec(text)?.groups?.words;
    if (words === undefined) return [];
    return [
      { line: i + 1, column: text.search(/(?:#|\/\/)\s*deltawatch-ignore\b/) + 1, words: words.trim() },
    ];
  });
}

/** Whether a line is empty or has only a comment. */
function isBare(text: string): boolean {
  return /^\s*($|#)/.test(text);
}

/** By line, the last line of the largest entry of a list or a map that starts there. */
function entryEnds(document: Document.Parsed, lines: LineCounter): Map<number, number> {
  const ends = new Map<number, number>();
  const note = (start: number | undefined, end: number | undefined) => {
    if (start === undefined || end === undefined) return;
    const first = lines.linePos(start).line;
    const last = lines.linePos(Math.max(start, end - 1)).line;
    ends.set(first, Math.max(last, ends.get(first) ?? first));
  };
  visit(document, (_key, node) => {
    if (isPair(node) && isScalar(node.key))
      note(node.key.range?.[0], endOf(node.value) ?? node.key.range?.[1]);
    else if (isCollection(node) && isMap(node)) note(node.range?.[0], node.range?.[1]);
  });
  return ends;
}

function endOf(value: unknown): number | undefined {
  const node = value as Node | null;
  return node?.range?.[1];
}

/** The parsed comment `deltawatch-ignore CODE until YYYY-MM-DD [reason]`. The day is in UTC. */
export type Ignore = { kind: 'active' | 'expired'; code: Code } | { kind: 'wrong'; message: string };

const FORM = 'write "deltawatch-ignore CODE until YYYY-MM-DD reason"';
/** Findings about ignore comments cannot be ignored. */
const UNIGNORABLE: readonly Code[] = ['ignore-wrong', 'ignore-idle'];

/** Parses the words after `deltawatch-ignore`. The last day is inclusive. */
export function readIgnore(words: string, now: number): Ignore {
  const [code = '', until, day = ''] = words.split(/\s+/);
  if (!isCode(code)) {
    const known = Object.keys(CODES);
    const found =
      code === '' ? 'the code is missing' : `there is no code "${code}"${didYouMean(code, known)}`;
    return {
      kind: 'wrong',
      message: `${found.replace(/\?$/, '?')}${found.endsWith('?') ? ' ' : '; '}${FORM}`,
    };
  }
  if (UNIGNORABLE.includes(code))
    return { kind: 'wrong', message: `${code} cannot be ignored; correct the comment instead` };
  if (until !== 'until' || !z.iso.date().safeParse(day).success) {
    const found =
      until === 'until'
        ? `"${day}" is not a valid date`
        : `the date until which to ignore ${code} is missing`;
    return { kind: 'wrong', message: `${found}; ${FORM}` };
  }
  // Dates of this form are in order as texts.
  const today = new Date(now).toISOString().slice(0, 10);
  const last = `${Number(today.slice(0, 4)) + 1}${today.slice(4)}`;
  if (day > last)
    return { kind: 'wrong', message: `${day} is more than a year ahead; write ${last} or earlier` };
  return { kind: day < today ? 'expired' : 'active', code };
}

function isCode(word: string): word is Code {
  return Object.hasOwn(CODES, word);
}

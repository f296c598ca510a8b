import { CODES } from '../lint/findings.ts';
import { didYouMean } from '../text/nearest-words.ts';

/** A comment that starts with `deltawatch-ignore`. Lines and columns start at 1. */
export interface IgnoreComment {
  line: number;
  column: number;
  /** The text after `deltawatch-ignore`. */
  words: string;
  /** The line with the content that it is on or before. */
  about: number;
}

const MARK = /(?<=^|\s)(?:#|\/\/)\s*deltawatch-ignore\b:?\s*(?<words>.*)$/;

export function ignoreCommentsIn(text: string): IgnoreComment[] {
  const lines = text.split(/\r?\n/);
  return lines.flatMap((line, i) => {
    const found = MARK.exec(line);
    if (!found) return [];
    const content = lines.findIndex((each, at) => at >= i && !/^\s*($|#|\/\/)/.test(each));
    const place = { line: i + 1, column: found.index + 1, about: (content < 0 ? i : content) + 1 };
    return [{ ...place, words: (found.groups?.words ?? '').trim() }];
  });
}

/** The parsed comment `deltawatch-ignore CODE reason`: its code, or what is wrong with it. */
export interface Ignore {
  code?: string;
  wrong?: string;
}

export function readIgnore(words: string): Ignore {
  const [code = ''] = words.split(/\s+/);
  if (Object.hasOwn(CODES, code)) return { code };
  if (code === '') return { wrong: 'the code is missing; write "deltawatch-ignore CODE reason"' };
  return { wrong: `there is no code "${code}"${didYouMean(code, Object.keys(CODES))}` };
}

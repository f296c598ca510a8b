import { Temporal } from 'temporal-polyfill';
import { didYouMean } from '../text/nearest-words.ts';
import { CODES, type Code } from './findings.ts';

/** What a comment `deltawatch-ignore CODE until YYYY-MM-DD [reason]` asks for; days are of UTC. */
export type Ignore =
  | { kind: 'in-force'; code: Code; untilDay: string }
  | { kind: 'expired'; code: Code; untilDay: string }
  | { kind: 'wrong'; message: string };

const FORM = 'write "deltawatch-ignore CODE until YYYY-MM-DD reason"';
const MOST_YEARS = 1;
/** Findings about ignoring are not ignored. */
const UNIGNORABLE: readonly Code[] = ['ignore-wrong', 'ignore-idle'];

/** Reads what follows the words `deltawatch-ignore`. It holds through its last day. */
export function readIgnore(words: string, now: number): Ignore {
  const [code = '', until, day = ''] = words.split(/\s+/);
  if (!isCode(code)) {
    const known = Object.keys(CODES);
    const found = code === '' ? 'no code is named' : `there is no code "${code}"${didYouMean(code, known)}`;
    return {
      kind: 'wrong',
      message: `${found.replace(/\?$/, '?')}${found.endsWith('?') ? ' ' : '; '}${FORM}`,
    };
  }
  if (UNIGNORABLE.includes(code))
    return { kind: 'wrong', message: `${code} cannot be ignored; mend the comment it is about` };
  const date = until === 'until' ? dateOf(day) : undefined;
  if (!date) {
    const found = until === 'until' ? `"${day}" is no day` : `it does not say until when ${code} is ignored`;
    return { kind: 'wrong', message: `${found}; ${FORM}` };
  }
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO('UTC').toPlainDate();
  const last = today.add({ years: MOST_YEARS });
  if (Temporal.PlainDate.compare(date, last) > 0)
    return {
      kind: 'wrong',
      message: `${day} is more than a year ahead; write ${last.toString()} or earlier, and look again then`,
    };
  const kind = Temporal.PlainDate.compare(date, today) < 0 ? 'expired' : 'in-force';
  return { kind, code, untilDay: day };
}

function isCode(word: string): word is Code {
  return Object.hasOwn(CODES, word);
}

function dateOf(day: string): Temporal.PlainDate | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) return undefined;
  try {
    return Temporal.PlainDate.from(day);
  } catch {
    return undefined;
  }
}

import { Temporal } from 'temporal-polyfill';
import { didYouMean } from '../text/nearest-words.ts';
import { CODES, type Code } from './findings.ts';

/** The parsed comment `deltawatch-ignore CODE until YYYY-MM-DD [reason]`. The day is in UTC. */
export type Ignore =
  | { kind: 'active'; code: Code; untilDay: string }
  | { kind: 'expired'; code: Code; untilDay: string }
  | { kind: 'wrong'; message: string };

const FORM = 'write "deltawatch-ignore CODE until YYYY-MM-DD reason"';
const MOST_YEARS = 1;
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
  const date = until === 'until' ? dateOf(day) : undefined;
  if (!date) {
    const found =
      until === 'until'
        ? `"${day}" is not a valid date`
        : `the date until which to ignore ${code} is missing`;
    return { kind: 'wrong', message: `${found}; ${FORM}` };
  }
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO('UTC').toPlainDate();
  const last = today.add({ years: MOST_YEARS });
  if (Temporal.PlainDate.compare(date, last) > 0)
    return {
      kind: 'wrong',
      message: `${day} is more than a year ahead; write ${last.toString()} or earlier`,
    };
  const kind = Temporal.PlainDate.compare(date, today) < 0 ? 'expired' : 'active';
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

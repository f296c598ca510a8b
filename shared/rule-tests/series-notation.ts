/** The value of a window in a test: a figure, `none` for no row, or `stopped` for an app without data. */
export type WrittenValue = number | 'none' | 'stopped';

export type WrittenSeries = { kind: 'values'; values: WrittenValue[] } | { kind: 'refused'; reason: string };

/** More than a year of hours. */
const MOST = 10_000;

const FORMS =
  'write 1000, 1000*56 (56 times), 100x5 (100 and five more), 100+10x5, 100-10x5, _ for no row, stale for an app without data, or several in brackets: (5 9)*8';

const TERM =
  /^(?:(?<value>\d+(?:\.\d+)?)(?<step>[+-]\d+(?:\.\d+)?)?|(?<word>_|stale))(?:x(?<more>\d{1,5}))?$/;
const TIMES = /^\*([1-9]\d*)$/;

/**
 * Parses the notation of promtool's tests (`100x6 40 _`, `100+10x5`, `_x3`, `stale`), where `100x6` is 100 and six more.
 * `*N` repeats the value or the brackets before it, so that they occur N times.
 */
export function parseSeries(text: string): WrittenSeries {
  if (text.includes(',')) {
    const spaced = text.replaceAll(/\s*,\s*/g, ' ').trim();
    return {
      kind: 'refused',
      reason: `separate values with spaces, not commas: "${spaced}"; a number has no comma`,
    };
  }
  const tokens = text.match(/[()]|\*\d*|[^\s()*]+/g) ?? [];
  if (tokens.length === 0) return { kind: 'refused', reason: `there are no values; ${FORMS}` };
  // The innermost open bracket is last.
  const open: WrittenValue[][] = [[]];
  let last: WrittenValue[] | undefined;
  for (const token of tokens) {
    const group = open.at(-1) ?? [];
    if (token === '(') {
      open.push([]);
      last = undefined;
    } else if (token === ')') {
      if (open.length === 1) return { kind: 'refused', reason: 'a closing bracket has no opening bracket' };
      open.pop();
      last = group;
      open.at(-1)?.push(...group);
    } else if (token.startsWith('*')) {
      const times = Number(TIMES.exec(token)?.[1] ?? 0);
      if (!last || times === 0)
        return { kind: 'refused', reason: `"${token}" must follow a value or a bracket; ${FORMS}` };
      if (last.length * times > MOST) return tooMany();
      for (let i = 1; i < times; i++) group.push(...last);
      last = undefined;
    } else {
      const term = termOf(token);
      if (term.kind === 'refused') return term;
      last = term.values;
      group.push(...last);
    }
    if (group.length > MOST) return tooMany();
  }
  const [values = [], unclosed] = open;
  if (unclosed) return { kind: 'refused', reason: 'a bracket is not closed' };
  if (values.length === 0) return { kind: 'refused', reason: `there are no values; ${FORMS}` };
  return values.length > MOST ? tooMany() : { kind: 'values', values };
}

function tooMany(): WrittenSeries {
  return { kind: 'refused', reason: `has more than ${MOST.toLocaleString('en-US')} windows` };
}

function termOf(token: string): WrittenSeries {
  const { value, step, word, more } = TERM.exec(token)?.groups ?? {};
  if (word !== undefined) {
    const written = word === '_' ? 'none' : 'stopped';
    // As in promtool, `_x3` is three windows and not four.
    return { kind: 'values', values: new Array<WrittenValue>(Number(more ?? 1)).fill(written) };
  }
  if (value === undefined || (step !== undefined && more === undefined))
    return { kind: 'refused', reason: `"${token}" is not a value; ${FORMS}` };
  const values = Array.from({ length: Number(more ?? 0) + 1 }, (_, i) => stepped(value, step ?? '0', i));
  const negative = values.find((each) => each < 0);
  if (negative !== undefined)
    return { kind: 'refused', reason: `"${token}" reaches ${negative}; figures cannot be below 0` };
  return { kind: 'values', values };
}

/** Rounds errors of binary fractions: 0.1 and two steps of 0.1 are 0.3. */
function stepped(value: string, step: string, steps: number): number {
  return Number((Number(value) + Number(step) * steps).toPrecision(12));
}

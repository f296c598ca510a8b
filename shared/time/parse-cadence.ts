import { type Cadence, type CadenceField, longestBreakHours } from './cadence.ts';

export const CADENCE_FORMS =
  '"hour", "hour at :15", "15 minutes", "day at 07:00", "weekday at 09:00", "weekend at 10:00", ' +
  '"monday and thursday at 07:00", "month at 07:00" or "cron 0 9 * * 1-5"';

export type ParsedCadence = { kind: 'cadence'; cadence: Cadence } | { kind: 'refused'; reason: string };

/**
 * Parses the key `every` in the IANA zone `zone`, or returns why it is invalid. Cadences by the hour or minute run in
 * UTC, so that no daylight-saving change skips or repeats them. `cron` always uses `zone`.
 */
export function parseCadence(words: string, zone: string): ParsedCadence {
  const written = cronOf(words);
  if (!written) return refused(`"${words}" is not a cadence; accepted: ${CADENCE_FORMS}`);
  const parsed = parseCron(written.cron, written.inUtc ? 'UTC' : zone);
  if (parsed.kind === 'refused') return parsed;
  if (longestBreakHours(parsed.cadence) === undefined)
    return refused(
      `"${words}" never runs, because none of its months has such a day; use other days or months`,
    );
  return parsed;
}

function refused(reason: string): ParsedCadence {
  return { kind: 'refused', reason };
}

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** The words as cron's five fields. */
function cronOf(words: string): { cron: string; inUtc: boolean } | undefined {
  const cron = /^cron (?<fields>.+)$/.exec(words)?.groups?.fields;
  if (cron !== undefined) return { cron, inUtc: false };

  const hourly = /^hour(?: at :(?<minute>[0-5]\d))?$/.exec(words);
  if (hourly) return { cron: `${hourly.groups?.minute ?? 0} * * * *`, inUtc: true };

  const step = /^(?<step>5|10|15|20|30) minutes$/.exec(words)?.groups?.step;
  if (step) return { cron: `*/${step} * * * *`, inUtc: true };

  const timed = /^(?<days>[a-z, ]+) at (?<hour>[01]\d|2[0-3]):(?<minute>[0-5]\d)$/.exec(words)?.groups;
  const days = timed?.days && daysOf(timed.days);
  return days ? { cron: `${timed.minute} ${timed.hour} ${days}`, inUtc: false } : undefined;
}

/** Cron's last three fields. */
function daysOf(words: string): string | undefined {
  switch (words) {
    case 'day':
      return '* * *';
    case 'weekday':
      return '* * 1-5';
    case 'weekend':
      return '* * 0,6';
    case 'month':
      return '1 * *';
  }
  const numbers = words.split(/, | and /).map((name) => WEEKDAYS.indexOf(name));
  return numbers.includes(-1) ? undefined : `* * ${numbers.join()}`;
}

interface FieldForm {
  field: CadenceField;
  word: string;
  first: number;
  last: number;
  /** Names of the values, from `first` on. */
  names?: string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const FIELDS: FieldForm[] = [
  { field: 'minutes', word: 'minute', first: 0, last: 59 },
  { field: 'hours', word: 'hour', first: 0, last: 23 },
  { field: 'days', word: 'day of the month', first: 1, last: 31 },
  { field: 'months', word: 'month', first: 1, last: 12, names: MONTHS },
  {
    field: 'weekdays',
    word: 'day of the week',
    first: 0,
    last: 6,
    names: WEEKDAYS.map((d) => d.slice(0, 3)),
  },
];

/** Our own parser: no library accepts exactly five fields and returns their values, which Scheduler needs. */
function parseCron(cron: string, zone: string): ParsedCadence {
  const texts = cron.trim().split(/\s+/);
  if (texts.length !== FIELDS.length) {
    const names = FIELDS.map(({ word }) => word).join(', ');
    const extra = texts.length > FIELDS.length ? '; remove seconds and years' : '';
    return refused(`cron needs five fields (${names}), not ${texts.length}${extra}`);
  }
  const cadence: Cadence = { zone };
  for (const [i, form] of FIELDS.entries()) {
    const { field, word, first, last } = form;
    const values = valuesOf(texts[i] ?? '', form);
    if (!values)
      return refused(
        `"${texts[i]}" is not a valid ${word}; write "*", a number from ${first} to ${last}, a range "2-5", ` +
          'a step "*/2", or a list of these',
      );
    if (values.length <= last - first) cadence[field] = values;
  }
  if (cadence.days && cadence.weekdays)
    return refused(
      'use days of the month or days of the week, not both; schedules in AWS do not support both',
    );
  return { kind: 'cadence', cadence };
}

/** The values of one cron field, ascending; `undefined` if it is invalid. */
function valuesOf(text: string, form: FieldForm): number[] | undefined {
  const values = new Set<number>();
  for (const part of text.toLowerCase().split(',')) {
    const groups = /^(?:(?<single>\w+)|(?:\*|(?<from>\w+)-(?<to>\w+))(?:\/(?<step>\d+))?)$/.exec(
      part,
    )?.groups;
    if (!groups) return undefined;
    const { single, from = single, to = from, step = '1' } = groups;
    const first = from === undefined ? form.first : numberOf(from, form);
    const last = to === undefined ? form.last : numberOf(to, form, first);
    if (first === undefined || last === undefined || first > last || Number(step) === 0) return undefined;
    for (let value = first; value <= last; value += Number(step))
      values.add(form.field === 'weekdays' ? value % 7 : value);
  }
  return [...values].toSorted((a, b) => a - b);
}

/** The number of a name or digits. Sunday is 0 or 7, and 7 at the end of a range. */
function numberOf(text: string, form: FieldForm, from = 0): number | undefined {
  const { field, first, last, names = [] } = form;
  const named = names.indexOf(text);
  const value = named >= 0 ? named + first : /^\d{1,2}$/.test(text) ? Number(text) : undefined;
  if (value === undefined || value < first) return undefined;
  if (field === 'weekdays' && value === 0 && from > 0) return 7;
  return value <= (field === 'weekdays' ? 7 : last) ? value : undefined;
}

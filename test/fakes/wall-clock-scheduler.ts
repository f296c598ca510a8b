import { Temporal } from 'temporal-polyfill';

/** A minute as the clocks of its zone show it. */
interface Minute {
  at: number;
  local: Temporal.PlainDateTime;
  /** Shown for the second time, after the clocks went back. */
  isRepeated: boolean;
}

/** Each minute in `[from, through]`, in the order in which they pass. Epoch milliseconds. */
export function minutesOf(zone: string, from: number, through: number): Minute[] {
  const seen = new Set<string>();
  const minutes: Minute[] = [];
  for (let at = from; at <= through; at += 60_000) {
    const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDateTime();
    minutes.push({ at, local, isRepeated: seen.has(local.toString()) });
    seen.add(local.toString());
  }
  return minutes;
}

/**
 * When EventBridge Scheduler would call, by its documentation: at every minute that the six fields of `cron(…)` name,
 * as clocks show them. So a time that they leave out is skipped; one that they show twice runs once.
 */
export function schedulerRuns(expression: string, minutes: Minute[]): number[] {
  const fields = /^cron\((.*)\)$/.exec(expression)?.[1]?.split(' ') ?? [];
  const [minute = '', hour = '', day = '', month = '', weekday = '', year = ''] = fields;
  if (fields.length !== 6 || year !== '*') throw new Error(`${expression} is not of six fields`);
  if ([day, weekday].filter((field) => field === '?').length !== 1)
    throw new Error(`${expression} has not one "?"`);
  const due = minutes.filter(
    ({ local, isRepeated }) =>
      !isRepeated &&
      names(minute, local.minute) &&
      names(hour, local.hour) &&
      names(day, local.day) &&
      names(month, local.month) &&
      names(weekday, (local.dayOfWeek % 7) + 1),
  );
  return due.map(({ at }) => at);
}

const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

function names(field: string, value: number): boolean {
  if (field === '*' || field === '?') return true;
  return field.split(',').some((part) => {
    const [first = Number.NaN, last = first] = part
      .split('-')
      .map((text) => (WEEKDAYS.includes(text) ? WEEKDAYS.indexOf(text) + 1 : Number(text)));
    return first <= value && value <= last;
  });
}

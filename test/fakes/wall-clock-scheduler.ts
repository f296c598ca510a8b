import { Temporal } from 'temporal-polyfill';

/** A minute in local time. */
interface Minute {
  at: number;
  local: Temporal.PlainDateTime;
  /** The second occurrence of a local time, after the clocks went back. */
  isRepeated: boolean;
}

/** Each minute in `[from, through]`, in order. Epoch milliseconds. */
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
 * The runs of EventBridge Scheduler according to its documentation: every minute that matches the six fields of
 * `cron(…)` in local time. A time that the clocks skip has no run, and a repeated time has one.
 */
export function schedulerRuns(expression: string, minutes: Minute[]): number[] {
  const fields = /^cron\((.*)\)$/.exec(expression)?.[1]?.split(' ') ?? [];
  const [minute = '', hour = '', day = '', month = '', weekday = '', year = ''] = fields;
  if (fields.length !== 6 || year !== '*') throw new Error(`${expression} does not have six fields`);
  if ([day, weekday].filter((field) => field === '?').length !== 1)
    throw new Error(`${expression} does not have exactly one "?"`);
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

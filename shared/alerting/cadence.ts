import { Temporal } from 'temporal-polyfill';

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
type Weekday = (typeof WEEKDAYS)[number];

/**
 * When a rule is looked at. Cadences under a day run in UTC, so that no daylight-saving change can skip or
 * repeat one; daily and weekly ones run at a wall-clock time of their IANA zone.
 */
export type Cadence =
  | { kind: 'hourly'; minute: number }
  | { kind: 'daily'; hour: number; minute: number; zone: string }
  | { kind: 'weekly'; weekday: Weekday; hour: number; minute: number; zone: string };

export const CADENCE_FORMS = '"hour", "hour at :15", "day at 07:00" or "monday at 07:00"';

/** The cadence that `words` name, in `zone`; `undefined` where they name none. */
export function parseCadence(words: string, zone: string): Cadence | undefined {
  const hourly = /^hour(?: at :(?<minute>[0-5]\d))?$/.exec(words);
  if (hourly) return { kind: 'hourly', minute: Number(hourly.groups?.minute ?? 0) };

  const timed = /^(?<day>[a-z]+) at (?<hour>[01]\d|2[0-3]):(?<minute>[0-5]\d)$/.exec(words);
  if (!timed?.groups) return undefined;
  const time = { hour: Number(timed.groups.hour), minute: Number(timed.groups.minute), zone };
  if (timed.groups.day === 'day') return { kind: 'daily', ...time };
  const weekday = WEEKDAYS.find((name) => name === timed.groups?.day);
  return weekday && { kind: 'weekly', weekday, ...time };
}

/** A name for the cadence, equal for equal cadences; letters, digits and dashes only. */
export function cadenceName(cadence: Cadence): string {
  const twoDigits = (n: number) => String(n).padStart(2, '0');
  if (cadence.kind === 'hourly') return `hourly-at-${twoDigits(cadence.minute)}`;
  const day = cadence.kind === 'daily' ? 'daily' : cadence.weekday;
  const zone = cadence.zone.replace('+', 'plus').replace(/[^A-Za-z0-9]+/g, '-');
  return `${day}-at-${twoDigits(cadence.hour)}${twoDigits(cadence.minute)}-${zone}`;
}

/** The cadence as EventBridge Scheduler takes it: a cron expression of six fields and its time zone. */
export function schedulerExpression(cadence: Cadence): { expression: string; zone: string } {
  switch (cadence.kind) {
    case 'hourly':
      return { expression: `cron(${cadence.minute} * * * ? *)`, zone: 'UTC' };
    case 'daily':
      return { expression: `cron(${cadence.minute} ${cadence.hour} * * ? *)`, zone: cadence.zone };
    case 'weekly': {
      const day = cadence.weekday.slice(0, 3).toUpperCase();
      return { expression: `cron(${cadence.minute} ${cadence.hour} ? * ${day} *)`, zone: cadence.zone };
    }
  }
}

/**
 * The first run strictly after `after` (both epoch milliseconds). As EventBridge Scheduler does it: a local
 * time that a daylight-saving change leaves out is skipped, one that it repeats runs once.
 */
export function nextRun(cadence: Cadence, after: number): number {
  if (cadence.kind === 'hourly') {
    const hour = 3_600_000;
    const offset = cadence.minute * 60_000;
    return (Math.floor((after - offset) / hour) + 1) * hour + offset;
  }
  let date = Temporal.Instant.fromEpochMilliseconds(after).toZonedDateTimeISO(cadence.zone).toPlainDate();
  for (;;) {
    const run = runOn(cadence, date);
    if (run !== undefined && run > after) return run;
    date = date.add({ days: 1 });
  }
}

function runOn(cadence: Exclude<Cadence, { kind: 'hourly' }>, date: Temporal.PlainDate): number | undefined {
  if (cadence.kind === 'weekly' && WEEKDAYS[date.dayOfWeek - 1] !== cadence.weekday) return undefined;
  const local = date.toPlainDateTime({ hour: cadence.hour, minute: cadence.minute });
  const run = local.toZonedDateTime(cadence.zone, { disambiguation: 'earlier' });
  return run.toPlainDateTime().equals(local) ? run.epochMilliseconds : undefined;
}

import { Temporal } from 'temporal-polyfill';
import { counted } from '../local/terminal.ts';
import { cadenceName } from '../shared/alerting/cadence.ts';
import { type PlannedRun, plannedRuns } from '../shared/alerting/planned-runs.ts';
import type { Rule } from '../shared/alerting/rule.ts';

const COLUMNS = 80;

/**
 * The next `runs` runs after `now` with the windows that each judges, told once for all rules that are looked at
 * alike. Times are of the rule's zone, lines of 80 columns.
 */
export function timetable(rules: Rule[], now: number, runs: number): string[] {
  const alike = Map.groupBy(rules, ({ cadence, window, zone, settle }) =>
    [cadenceName(cadence), window, zone, settle].join(' '),
  );
  return [...alike.values()].flatMap((members) => {
    const [rule] = members;
    if (!rule) return [];
    const { every, window, zone } = rule;
    return [
      `every ${every}, for each ${window} (${zone})`,
      ...wrapped(members.map(({ id }) => id)),
      ...plannedRuns(rule, now, runs).map((run) => `  ${runText(run, rule)}`),
    ];
  });
}

/** "Mon 2026-11-23 09:00 judges 2026-11-20 to 2026-11-22, 3 days". */
function runText({ at, windows }: PlannedRun, { window: grain, zone }: Rule): string {
  const local = inZone(at, zone);
  const run = `${local.toLocaleString('en-GB', { weekday: 'short' })} ${minuteOf(local)}`;
  const [first, last] = [windows[0], windows.at(-1)];
  if (!first || !last) return `${run} judges nothing new`;
  const count = windows.length > 1 ? `, ${counted(windows.length, grain)}` : '';
  return `${run} judges ${spanText(inZone(first.startAt, zone), inZone(last.endAt, zone), grain)}${count}`;
}

export function spanText(
  from: Temporal.ZonedDateTime,
  to: Temporal.ZonedDateTime,
  grain: Rule['window'],
): string {
  if (grain === 'hour') {
    const isSameDay = from.toPlainDate().equals(to.toPlainDate());
    return `${minuteOf(from)} to ${isSameDay ? minuteOf(to).slice(-5) : minuteOf(to)}`;
  }
  const [first, last] = [from.toPlainDate(), to.toPlainDate().subtract({ days: 1 })];
  return first.equals(last) ? `${first}` : `${first} to ${last}`;
}

export function inZone(at: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
}

/** "2026-11-23 09:00". */
export function minuteOf(time: Temporal.ZonedDateTime): string {
  return time.toPlainDateTime().toString({ smallestUnit: 'minute' }).replace('T', ' ');
}

/** The words with commas between, indented, on as many lines as they need. */
function wrapped(words: string[]): string[] {
  const lines: string[] = [];
  for (const [i, word] of words.entries()) {
    const text = i < words.length - 1 ? `${word},` : word;
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + text.length <= COLUMNS)
      lines.splice(-1, 1, `${line} ${text}`);
    else lines.push(`  ${text}`);
  }
  return lines;
}

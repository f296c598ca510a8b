import { type Calendar, type Grain, lastClosedWindow, windowBefore } from '../time/window.ts';

/** A time and its label. */
export interface TimeTick {
  at: number;
  text: string;
}

/** The distance of ticks: every n-th start of a calendar unit. */
interface Step {
  of: Grain;
  every: number;
}

/** Smallest first. Hours count from midnight, months from January, days and weeks back from the last one. */
const STEPS: Step[] = [
  ...[1, 3, 6, 12].map((every) => ({ of: 'hour' as const, every })),
  ...[1, 2].map((every) => ({ of: 'day' as const, every })),
  ...[1, 2, 4].map((every) => ({ of: 'week' as const, every })),
  ...[1, 3, 6, 12].map((every) => ({ of: 'month' as const, every })),
];

const GRAINS: readonly Grain[] = ['hour', 'day', 'week', 'month'];

/**
 * At most `most` round times in `[fromAt, throughAt]`, evenly spaced in the local calendar: midnights stay midnights
 * when the clocks change.
 */
export function timeTicks(
  [fromAt, throughAt]: [number, number],
  { grain, zone }: Calendar,
  most: number,
): TimeTick[] {
  const fine = STEPS.filter(({ of }) => GRAINS.indexOf(of) >= GRAINS.indexOf(grain));
  for (const step of fine) {
    const ticks = startsIn([fromAt, throughAt], step, zone, most);
    if (ticks && ticks.length <= most) return ticks.map((at) => ({ at, text: tickText(at, step.of, zone) }));
  }
  return [];
}

/** The times of the step; `undefined` if there are far too many. */
function startsIn(
  [fromAt, throughAt]: [number, number],
  { of, every }: Step,
  zone: string,
  most: number,
): number[] | undefined {
  const calendar = { grain: of, zone };
  const starts: number[] = [];
  let window = lastClosedWindow(throughAt, calendar);
  for (; window.endAt >= fromAt; window = windowBefore(window, calendar)) {
    starts.push(window.endAt);
    if (starts.length > most * every + every) return undefined;
  }
  const kept =
    of === 'hour' || of === 'month'
      ? starts.filter((at) => placeOf(at, of, zone) % every === 0)
      : starts.filter((_, i) => i % every === 0);
  return kept.reverse();
}

/** The hour of the day, or the month of the year from 0. */
function placeOf(at: number, of: 'hour' | 'month', zone: string): number {
  const part = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    ...(of === 'hour' ? { hour: 'numeric', hourCycle: 'h23' } : { month: 'numeric' }),
  });
  return Number(part.format(at)) - (of === 'month' ? 1 : 0);
}

/** "14:00", at midnight "3 Mar"; "Mar", in January "Jan 2026". */
function tickText(at: number, of: Grain, zone: string): string {
  const text = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone }).format(at);
  switch (of) {
    case 'hour':
      return placeOf(at, 'hour', zone) === 0
        ? text({ day: 'numeric', month: 'short' })
        : text({ hour: '2-digit', minute: '2-digit' });
    case 'day':
    case 'week':
      return text({ day: 'numeric', month: 'short' });
    case 'month':
      return text(
        placeOf(at, 'month', zone) === 0 ? { month: 'short', year: 'numeric' } : { month: 'short' },
      );
  }
}

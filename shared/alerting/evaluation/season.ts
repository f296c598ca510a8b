import { DAILY, HOURLY, type Seasonality, SeasonalModel } from '../../statistics/seasonal.ts';
import type { Readings } from '../readings/history.ts';
import type { SeriesKey, WindowReading } from '../readings/reading.ts';
import { metricOf } from '../rules/metrics.ts';
import type { FigureRule } from '../rules/rule.ts';
import type { CalendarWindows, Slot } from '../time/calendar-windows.ts';
import { holidayIn } from '../time/holiday-calendar.ts';
import type { Window } from '../time/window.ts';
import { type Memory, overlapsAny } from './baseline.ts';
import type { Surprise } from './evaluation.ts';
import type { Fired } from './fired.ts';
import { asksForSeason, SEASONAL_WINDOWS } from './season-span.ts';

const SEASONALITY = { hour: HOURLY, day: DAILY } as const;

/** How a series' windows lie in its week. */
export interface Week {
  seasonality: Seasonality;
  slotOf(window: Window): Slot;
}

/** What is usual in one series: told its windows in order, each once, and asked about the one that comes next. */
export class Season {
  readonly #rule: FigureRule;
  readonly #week: Week;
  readonly #model: SeasonalModel;

  constructor(rule: FigureRule, week: Week) {
    this.#rule = rule;
    this.#week = week;
    this.#model = new SeasonalModel(week.seasonality, metricOf(rule).kind === 'count' ? 'count' : 'mean');
  }

  /**
   * How far the next window is from what its past made likely; `undefined` while that says too little. `gap`: what an
   * open alert fired on.
   */
  surpriseOf({ window, reading }: WindowReading, gap: Fired['gap'] = null): Surprise | undefined {
    const slot = this.#week.slotOf(window);
    const surprise = this.#model.surpriseOf({ ...slot, value: reading.value });
    if (!surprise) return undefined;
    const { expected, low, high, z, limit, isBeyond, isUsual, larger, remembered } = surprise;
    const wouldTell = gap === null || this.#model.wouldTell(slot, gap);
    return { expected, low, high, z, limit, isBeyond, isUsual, wouldTell, larger, remembered };
  }

  /** Takes the next window in. An incident or a holiday moves time on and teaches nothing of what is usual. */
  learn({ window, reading }: WindowReading, incidents: Window[]): void {
    const isHoliday = holidayIn(window, this.#rule) !== null;
    const teaches = !isHoliday && !overlapsAny(window, incidents);
    // Where nothing overlaps nothing begins.
    const opens = !isHoliday && !teaches && incidents.some(({ startAt }) => startAt === window.startAt);
    const { slot, exposure } = this.#week.slotOf(window);
    this.#model.learn({ slot, exposure, value: reading.value }, teaches, opens);
  }
}

/**
 * The season before `window`, told the kept past anew, so that a verdict follows from the readings alone. `undefined`
 * where nothing is kept, and for windows that no season is known of.
 */
export function seasonBefore(
  rule: FigureRule,
  window: Window,
  series: SeriesKey,
  {
    history,
    memory,
    calendarWindows,
  }: { history: Readings; memory: Memory; calendarWindows: CalendarWindows },
): Season | undefined {
  const metric = metricOf(rule);
  let season: Season | undefined;
  // Window by window: ten weeks have 1,680 hours, which are told anew for each that is judged.
  for (const each of seasonalPast(rule, window, calendarWindows)) {
    const reading = history.reading(each, series, metric);
    if (reading) season ??= newSeason(rule, calendarWindows);
    season?.learn({ window: each, reading: reading ?? UNREAD }, memory.incidents);
  }
  return season;
}

/** A season that was told nothing yet; `undefined` where the rule asks for none, and for windows that have none. */
export function newSeason(rule: FigureRule, calendarWindows: CalendarWindows): Season | undefined {
  if (!asksForSeason(rule) || (rule.window !== 'hour' && rule.window !== 'day')) return undefined;
  const slotOf = (each: Window) => calendarWindows.slotOf(each);
  return new Season(rule, { seasonality: SEASONALITY[rule.window], slotOf });
}

/** The windows before `window` that its season is told, oldest first; none where the rule has no season. */
export function seasonalPast(
  rule: FigureRule,
  window: Window,
  calendarWindows: CalendarWindows,
): readonly Window[] {
  if (!asksForSeason(rule) || (rule.window !== 'hour' && rule.window !== 'day')) return [];
  return calendarWindows.through(calendarWindows.before(window), SEASONAL_WINDOWS[rule.window]);
}

/** The readings of `windows` from the first that is known on; what is not known after that has no value. */
export function knownFrom(
  windows: Window[],
  rule: FigureRule,
  series: SeriesKey,
  history: Readings,
): WindowReading[] {
  const metric = metricOf(rule);
  const readings = windows.map((window) => ({ window, reading: history.reading(window, series, metric) }));
  const known = readings.findIndex(({ reading }) => reading !== undefined);
  if (known < 0) return [];
  return readings.slice(known).map(({ window, reading = UNREAD }) => ({ window, reading }));
}

const UNREAD = { value: null, weight: null };

import type { Readings } from '../readings/history.ts';
import type { SeriesKey, WindowReading } from '../readings/reading.ts';
import type { FigureRule } from '../rules/rule.ts';
import { metricOf } from '../rules/watched-metric.ts';
import type { Occasion } from '../statistics/occasions.ts';
import { type LearnedAs, type Observation, SeasonalModel } from '../statistics/seasonal.ts';
import { DAILY, HOURLY, type Seasonality } from '../statistics/seasonality.ts';
import type { CalendarWindows, Slot } from '../time/calendar-windows.ts';
import { holidaysOfZone } from '../time/holiday-calendar.ts';
import { occasionsOf } from '../time/occasion.ts';
import type { Window } from '../time/window.ts';
import { type Known, overlapsAny } from './baseline.ts';
import type { Surprise } from './evaluation.ts';
import type { Fired } from './fired.ts';

const SEASONALITY = { hour: HOURLY, day: DAILY } as const;

/** The position of a series' windows in the week. */
export interface Week {
  seasonality: Seasonality;
  slotOf(window: Window): Slot;
}

/** The seasonal model of one series. It takes each window once, in order, and predicts the next. */
export class Season {
  readonly #week: Week;
  readonly #model: SeasonalModel;
  /** Of the rule's own calendar, or of the country of its zone. */
  readonly #occasionOn: (day: number) => Occasion | undefined;

  constructor(rule: FigureRule, week: Week) {
    this.#week = week;
    const holidays = rule.holidays ?? holidaysOfZone(rule.zone);
    this.#occasionOn = holidays ? occasionsOf(holidays) : () => undefined;
    const measure = metricOf(rule).kind === 'count' ? 'count' : 'mean';
    this.#model = new SeasonalModel(week.seasonality, measure, rule.sensitivity);
  }

  /** The deviation of the next window; `undefined` with too little history. `gap`: that on which an open alert fired. */
  surpriseOf(reading: WindowReading, gap: Fired['gap'] = null): Surprise | undefined {
    const observation = this.#observed(reading);
    const surprise = this.#model.surpriseOf(observation);
    if (!surprise) return undefined;
    const { ratio: _, ...figures } = surprise;
    const { occasion } = observation;
    return {
      ...figures,
      ...(occasion && { occasion: occasion.name }),
      canDetect: gap === null || this.#model.canDetect(observation, gap),
    };
  }

  /** Adds the next window. `marked`: incidents that a person named. */
  learn(reading: Pick<WindowReading, 'window' | 'value'>, incidents: Window[], marked: Window[] = []): void {
    this.#model.learn(this.#observed(reading), learnedAs(reading.window, incidents, marked));
  }

  #observed({ window, value }: Pick<WindowReading, 'window' | 'value'>): Observation {
    const { slot, exposure, day } = this.#week.slotOf(window);
    return { slot, exposure, value: usableValue(value), occasion: this.#occasionOn(day) };
  }
}

function learnedAs(window: Window, incidents: Window[], marked: Window[]): LearnedAs {
  if (overlapsAny(window, marked)) return 'incident';
  if (!overlapsAny(window, incidents)) return 'usual';
  return incidents.some(({ startAt }) => startAt === window.startAt) ? 'first of an incident' : 'incident';
}

/** The model works on the scale of square roots, so a negative value is unknown to it. */
function usableValue(value: number | null): number | null {
  return value !== null && value < 0 ? null : value;
}

/**
 * The season before `window`, rebuilt from the kept history, so that a verdict depends on readings alone. `undefined`
 * without history and for windows without a season.
 */
export function seasonBefore(
  rule: FigureRule,
  window: Window,
  series: SeriesKey,
  { history, memory, calendarWindows }: Known,
): Season | undefined {
  const metric = metricOf(rule);
  let season: Season | undefined;
  // Window by window: ten weeks have 1,680 hours, which are replayed for each evaluation.
  for (const each of seasonalPast(rule, window, calendarWindows)) {
    const reading = history.reading(each, series, metric);
    if (reading) season ??= newSeason(rule, calendarWindows);
    season?.learn({ window: each, value: reading?.value ?? null }, memory.incidents);
  }
  return season;
}

/** An empty season; `undefined` if the rule or the window has none. */
export function newSeason(rule: FigureRule, calendarWindows: CalendarWindows): Season | undefined {
  if (!asksForSeason(rule) || (rule.window !== 'hour' && rule.window !== 'day')) return undefined;
  const slotOf = (each: Window) => calendarWindows.slotOf(each);
  return new Season(rule, { seasonality: SEASONALITY[rule.window], slotOf });
}

/** The history windows of the season before `window`, oldest first; empty if the rule has no season. */
export function seasonalPast(
  rule: FigureRule,
  window: Window,
  calendarWindows: CalendarWindows,
): readonly Window[] {
  if (!asksForSeason(rule) || (rule.window !== 'hour' && rule.window !== 'day')) return [];
  return calendarWindows.through(calendarWindows.before(window), SEASONAL_WINDOWS[rule.window]);
}

/** The readings of `windows` from the first known one; later unknown readings have no value. */
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
  return readings.slice(known).map(({ window, reading = UNREAD }) => ({ ...reading, window }));
}

const UNREAD = { value: null, weight: null };

/** Windows of history for the model: as long as readings are kept. */
export const SEASONAL_WINDOWS = { hour: 10 * 168, day: 57 * 7 } as const;

/** Whether the seasonal model takes part in the verdict. */
export function asksForSeason(rule: FigureRule): boolean {
  return rule.anomaly !== undefined || rule.baseline.to === 'seasonal';
}

import { type Alert, type News, newAlert } from '../../shared/alerts/alert.ts';
import { advance } from '../../shared/alerts/lifecycle.ts';
import type { Memory } from '../../shared/evaluation/baseline.ts';
import { evaluate } from '../../shared/evaluation/evaluate.ts';
import type { Evaluation } from '../../shared/evaluation/evaluation.ts';
import { evidenceFor } from '../../shared/evaluation/evidence.ts';
import { newSeason, type Season } from '../../shared/evaluation/season.ts';
import type { Readings } from '../../shared/readings/history.ts';
import type { WindowReading } from '../../shared/readings/reading.ts';
import { meaningOf } from '../../shared/readings/series.ts';
import type { FigureRule } from '../../shared/rules/rule.ts';
import { CalendarWindows } from '../../shared/time/calendar-windows.ts';

/** Windows kept: what medians of weeks need, and what a season is rebuilt from. */
const KEPT: Record<FigureRule['window'], number> = { hour: 26 * 168, day: 70 * 7, week: 104, month: 48 };

/** A window's evaluation, and the state of the alert after it. */
export interface EvaluatedWindow {
  evaluation: Evaluation;
  state: Alert['state'];
  news: News[];
}

/** Evaluates one series window by window, as in production. The season learns each window. It restarts at a new level. */
export class SeriesEvaluator {
  readonly #rule: FigureRule;
  readonly #calendarWindows: CalendarWindows;
  readonly #history: RecentReadings;
  #season: Season | undefined;
  #alert: Alert | undefined;

  constructor(rule: FigureRule) {
    this.#rule = rule;
    this.#calendarWindows = new CalendarWindows({ grain: rule.window, zone: rule.zone });
    this.#history = new RecentReadings(KEPT[rule.window]);
    this.#season = newSeason(rule, this.#calendarWindows);
  }

  /** Windows come in order without gaps. `newestDataAt`: the time up to which the source has data. */
  evaluate(current: WindowReading, newestDataAt: number): EvaluatedWindow {
    const { window } = current;
    const alert =
      this.#alert ??
      newAlert({ ruleId: this.#rule.id, segment: null }, meaningOf(this.#rule), window.startAt);
    this.#history.add(current);
    const evidence = evidenceFor(
      this.#rule,
      window,
      {},
      {
        history: this.#history,
        memory: memoryOf(alert),
        calendarWindows: this.#calendarWindows,
        newestDataAt,
        ...(this.#season && { season: this.#season }),
      },
    );
    if (!evidence) throw new Error('a window that was added is known');
    const evaluation = evaluate(this.#rule, evidence);
    const step = advance(alert, evaluation, this.#rule);
    this.#alert = step.alert;
    this.#learn(current, step);
    return { evaluation, state: step.alert.state, news: step.news };
  }

  #learn(current: WindowReading, { alert, news }: { alert: Alert; news: News[] }): void {
    const isAccepted = news.some(({ transition }) => transition === 'accepted');
    if (isAccepted) this.#season = newSeason(this.#rule, this.#calendarWindows);
    for (const each of isAccepted ? this.#history.all() : [current])
      this.#season?.learn(each, memoryOf(alert).incidents);
  }
}

function memoryOf({ fired = null, suspected = null, incidents = [], levelSinceAt = null }: Alert): Memory {
  return { fired, suspected, incidents, levelSinceAt };
}

/** The last windows of a series, added in order. */
class RecentReadings implements Readings {
  readonly #kept: number;
  #byEnd = new Map<number, WindowReading>();

  /** Keeps at least so many. */
  constructor(kept: number) {
    this.#kept = kept;
  }

  add(added: WindowReading): void {
    // Seldom, because the first entries of a map are slow to delete.
    if (this.#byEnd.size >= 2 * this.#kept) this.#byEnd = new Map([...this.#byEnd].slice(-this.#kept));
    this.#byEnd.set(added.window.endAt, added);
  }

  reading: Readings['reading'] = ({ startAt, endAt }, _series, _metric, period) =>
    this.#byEnd.get(period === 'previous' ? startAt : endAt);

  /** Oldest first. */
  all(): Iterable<WindowReading> {
    return this.#byEnd.values();
  }
}

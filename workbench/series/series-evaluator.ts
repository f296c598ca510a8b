import { type Alert, type News, newAlert } from '../../shared/alerts/alert.ts';
import { advance } from '../../shared/alerts/lifecycle.ts';
import type { Memory } from '../../shared/evaluation/baseline.ts';
import { evaluate } from '../../shared/evaluation/evaluate.ts';
import type { Evaluation } from '../../shared/evaluation/evaluation.ts';
import { evidenceFor } from '../../shared/evaluation/evidence.ts';
import { Season, type Week } from '../../shared/evaluation/season.ts';
import { asksForSeason } from '../../shared/evaluation/season-span.ts';
import type { WindowReading } from '../../shared/readings/reading.ts';
import { meaningOf } from '../../shared/readings/series.ts';
import type { FigureRule } from '../../shared/rules/rule.ts';
import { CalendarWindows } from '../../shared/time/calendar-windows.ts';
import type { Window } from '../../shared/time/window.ts';
import { KeptReadings } from './recent-readings.ts';

/** Windows kept: what medians of weeks need, and what a season is rebuilt from. */
const KEPT: Record<FigureRule['window'], number> = { hour: 26 * 168, day: 70 * 7, week: 104, month: 48 };

/** A window's evaluation, and the state of the alert after it. */
export interface EvaluatedWindow {
  evaluation: Evaluation;
  state: Alert['state'];
  news: News[];
}

/** What evaluation depends on besides the rule. */
export interface SeriesContext {
  /** `undefined` where windows have no place in the week. */
  week: Week | undefined;
  /** Incidents, excluded from baselines. */
  incidents: Window[];
}

/**
 * Evaluates one series window by window as in production: same evidence, gates and lifecycle. The season is
 * updated incrementally, and rebuilt when a level is rebaselined.
 */
export class SeriesEvaluate {
  readonly #rule: FigureRule;
  readonly #context: SeriesContext;
  readonly #almanac: CalendarWindows;
  readonly #history: KeptReadings;
  #season: Season | undefined;
  #alert: Alert | undefined;

  constructor(rule: FigureRule, context: SeriesContext) {
    this.#rule = rule;
    this.#context = context;
    this.#almanac = new CalendarWindows({ grain: rule.window, zone: rule.zone });
    this.#history = new KeptReadings(Math.max(KEPT[rule.window], context.week?.seasonality.memory ?? 0));
    this.#season = this.#newSeason();
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
        ...{
          history: this.#history,
          memory: this.#memoryOf(alert),
          calendarWindows: this.#almanac,
          newestDataAt,
        },
        ...(this.#season && { season: this.#season }),
      },
    );
    if (!evidence) throw new Error('a window that was added is known');
    const evaluation = evaluate(this.#rule, evidence);
    const step = advance(alert, evaluation, this.#rule);
    this.#alert = step.alert;
    this.#learn(current, step.news);
    return { evaluation, state: step.alert.state, news: step.news };
  }

  #learn(current: WindowReading, news: News[]): void {
    const { incidents } = this.#memoryOf(this.#alert);
    const isAccepted = news.some(({ transition }) => transition === 'accepted');
    if (isAccepted) this.#season = this.#newSeason();
    const marked = this.#context.incidents;
    for (const each of isAccepted ? this.#history.all() : [current])
      this.#season?.learn(each, incidents, marked);
  }

  #newSeason(): Season | undefined {
    const { week } = this.#context;
    return week && asksForSeason(this.#rule) ? new Season(this.#rule, week) : undefined;
  }

  #memoryOf(alert: Alert | undefined): Memory {
    const { fired = null, suspected = null, incidents = [], levelSinceAt = null } = alert ?? {};
    return { fired, suspected, incidents: [...this.#context.incidents, ...incidents], levelSinceAt };
  }
}

import { type AlertKey, type AlertState, isOpen } from '../../shared/alerting/alerts/alert.ts';
import { comparableOf } from '../../shared/alerting/evaluation/comparable-length.ts';
import type { Evaluation, Verdict } from '../../shared/alerting/evaluation/evaluation.ts';
import { metricOf } from '../../shared/alerting/rules/metrics.ts';
import type { Rule } from '../../shared/alerting/rules/rule.ts';
import type { Window } from '../../shared/alerting/time/window.ts';
import type { ReplayedUnseen, ReplayedWindow } from '../replay/replayed.ts';

/** One alert from its fire to its end. Times are epoch milliseconds. */
export interface Fire {
  ruleId: string;
  segment: string | null;
  /** What it fired on. */
  window: Window;
  /** From the first breach that counted towards it to the end of that window. */
  onset: Window;
  /** The tick that found it. */
  at: number;
  /** End of the last window in which it was open; of the window that ended it, where one did. */
  throughAt: number;
  /** End of the last window after which it was still open: the one that ended it was no trouble any more. */
  openThroughAt: number;
  hasEnded: boolean;
  figures: FireFigures;
}

/** What it fired on. `null`: not known, or of the change, a rise from 0. */
interface FireFigures {
  current: number | null;
  baseline: number | null;
  change: number | null;
}

/** The windows of one series as they are judged, in order: how each was found, and when it fired. */
export class SeriesLog {
  readonly ruleId: string;
  readonly segment: string | null;
  readonly fires: Fire[] = [];
  readonly #verdicts = new Map<number, Verdict>();
  /** The tick that judged it first. */
  firstAt = Infinity;
  /** Start of the first window of which could be said whether it breached. */
  knownFromAt: number | undefined;
  /** Start of the first window that there was something to hold against, whatever was found. */
  comparedFromAt: number | undefined;
  readonly #isMean: boolean;
  /** Whether any figure but 0 was seen so far, of a window or as a baseline. */
  #hasFigures = false;
  #state: AlertState = 'normal';
  #suspectedSinceAt: number | null = null;

  constructor({ ruleId, segment }: AlertKey, rule: Rule | undefined) {
    this.ruleId = ruleId;
    this.segment = segment;
    this.#isMean = rule !== undefined && metricOf(rule).kind === 'mean';
  }

  add({ at, evaluation, state }: ReplayedWindow): void {
    const { window } = evaluation;
    const verdict = this.#verdictOf(evaluation);
    this.firstAt = Math.min(this.firstAt, at);
    // A window that is judged again was judged before: what it is now takes the place of what it was.
    this.#verdicts.set(window.endAt, verdict);
    if (verdict === 'breached' || verdict === 'clear') this.knownFromAt ??= window.startAt;
    if (this.knownFromAt !== undefined || (verdict !== 'no-data' && comparableOf(evaluation) !== null))
      this.comparedFromAt ??= window.startAt;
    if (!isOpen(this.#state) && isOpen(state)) this.fires.push(this.#fireOf(evaluation, at));
    else this.#goOn(window, state);
    if (state === 'pending') this.#suspectedSinceAt ??= window.startAt;
    else this.#suspectedSinceAt = null;
    this.#state = state;
  }

  /** Of the segment nothing is known, so that the window counts as none. */
  addUnseen({ window, state }: ReplayedUnseen): void {
    this.#goOn(window, state);
    this.#suspectedSinceAt = null;
    this.#state = state;
  }

  windowEnds(): number[] {
    return [...this.#verdicts.keys()];
  }

  /** How many windows were found so, each counted once. */
  counts(): Record<Verdict, number> {
    const counts = { breached: 0, clear: 0, 'no-data': 0, inconclusive: 0, failed: 0 };
    for (const verdict of this.#verdicts.values()) counts[verdict]++;
    return counts;
  }

  /**
   * As long as a count or a ratio was never anything but 0, nobody knows whether there is such a thing to count: an event
   * that never came may be written wrongly. A mean of 0 is over somebody.
   */
  #verdictOf(evaluation: Evaluation): Verdict {
    const { current, verdict } = evaluation;
    this.#hasFigures ||= this.#isMean || Boolean(current.value || comparableOf(evaluation));
    return verdict === 'clear' && current.value === 0 && !this.#hasFigures ? 'no-data' : verdict;
  }

  #goOn(window: Window, state: AlertState): void {
    const open = this.fires.at(-1);
    if (!isOpen(this.#state) || !open) return;
    open.throughAt = Math.max(open.throughAt, window.endAt);
    open.hasEnded = !isOpen(state);
    if (!open.hasEnded) open.openThroughAt = open.throughAt;
  }

  #fireOf(evaluation: Evaluation, at: number): Fire {
    const { window, current, change } = evaluation;
    const { ruleId, segment } = this;
    return {
      ...{ ruleId, segment, at, window },
      onset: { startAt: this.#suspectedSinceAt ?? window.startAt, endAt: window.endAt },
      throughAt: window.endAt,
      openThroughAt: window.endAt,
      hasEnded: false,
      figures: { current: current.value, baseline: comparableOf(evaluation), change },
    };
  }
}

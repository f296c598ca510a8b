import type { ReplayedUnseen, ReplayedWindow } from '../../local/replay/replayed.ts';
import { type AlertKey, type AlertState, isOpen } from '../../shared/alerts/alert.ts';
import { comparableOf } from '../../shared/evaluation/comparable-length.ts';
import type { Evaluation, Verdict } from '../../shared/evaluation/evaluation.ts';
import { bandOf } from '../../shared/evaluation/expected-limits.ts';
import { type ExpectedWindow, lastShown } from '../../shared/evaluation/sensitivity.ts';
import { metricOf } from '../../shared/rules/metrics.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import type { Window } from '../../shared/time/window.ts';

/** One alert from its fire to its end. Times are epoch milliseconds. */
export interface Fire {
  ruleId: string;
  segment: string | null;
  /** Window on which it fired. */
  window: Window;
  /** From the first breach that counted to the end of the firing window. */
  onset: Window;
  /** Scheduled time of the run that found it. */
  at: number;
  /** End of the last window in which it was open, or of the window that ended it. */
  throughAt: number;
  /** End of the last window after which it was still open. */
  openThroughAt: number;
  hasEnded: boolean;
  figures: FireFigures;
}

/** The figures on which it fired. `null`: unknown; as a change, a rise from 0. */
interface FireFigures {
  current: number | null;
  baseline: number | null;
  change: number | null;
}

/** The windows of one series in order of evaluation: verdicts and fires. */
export class SeriesLog {
  readonly ruleId: string;
  readonly segment: string | null;
  readonly fires: Fire[] = [];
  readonly #verdicts = new Map<number, Verdict>();
  /** Scheduled time of the run that first evaluated it. */
  firstAt = Infinity;
  /** Start of the first window with a verdict. */
  knownFromAt: number | undefined;
  /** Start of the first window with a baseline. */
  comparedFromAt: number | undefined;
  /** Its first evaluated window. */
  first: ExpectedWindow | undefined;
  /** Its last windows, as `sensitivityOf` takes them. */
  shown: ExpectedWindow[] = [];
  readonly #rule: Rule | undefined;
  readonly #isMean: boolean;
  /** Whether any value or baseline was other than 0 so far. */
  #hasFigures = false;
  #state: AlertState = 'normal';
  #suspectedSinceAt: number | null = null;

  constructor({ ruleId, segment }: AlertKey, rule: Rule | undefined) {
    this.ruleId = ruleId;
    this.segment = segment;
    this.#rule = rule;
    this.#isMean = rule !== undefined && metricOf(rule).kind === 'mean';
  }

  add({ at, evaluation, state }: ReplayedWindow): void {
    const {
      current: { window },
    } = evaluation;
    const verdict = this.#verdictOf(evaluation);
    this.firstAt = Math.min(this.firstAt, at);
    // A window evaluated again replaces its earlier verdict.
    this.#verdicts.set(window.endAt, verdict);
    this.#show(evaluation);
    if (verdict === 'breached' || verdict === 'clear') this.knownFromAt ??= window.startAt;
    if (this.knownFromAt !== undefined || (verdict !== 'no-data' && comparableOf(evaluation) !== null))
      this.comparedFromAt ??= window.startAt;
    if (!isOpen(this.#state) && isOpen(state)) this.fires.push(this.#fireOf(evaluation, at));
    else this.#goOn(window, state);
    if (state === 'pending') this.#suspectedSinceAt ??= window.startAt;
    else this.#suspectedSinceAt = null;
    this.#state = state;
  }

  /** A window of an unknown segment does not count. */
  addUnseen({ window, state }: ReplayedUnseen): void {
    this.#goOn(window, state);
    this.#suspectedSinceAt = null;
    this.#state = state;
  }

  windowEnds(): number[] {
    return [...this.#verdicts.keys()];
  }

  /** Number of windows with this verdict, each counted once. */
  counts(): Record<Verdict, number> {
    const counts = { breached: 0, clear: 0, 'no-data': 0, inconclusive: 0, failed: 0 };
    for (const verdict of this.#verdicts.values()) counts[verdict]++;
    return counts;
  }

  /**
   * A count or ratio that was always 0 may be of a misspelled event, so it counts as unknown. A mean of 0 has
   * a sample.
   */
  #verdictOf(evaluation: Evaluation): Verdict {
    const { current, verdict } = evaluation;
    this.#hasFigures ||= this.#isMean || Boolean(current.value || comparableOf(evaluation));
    return verdict === 'clear' && current.value === 0 && !this.#hasFigures ? 'no-data' : verdict;
  }

  #show(evaluation: Evaluation): void {
    const {
      current: { window },
    } = evaluation;
    const isAgain = window.endAt <= (this.shown.at(-1)?.window.endAt ?? 0);
    if (!this.#rule || this.#rule.members || isAgain) return;
    const expected = { window, band: bandOf(this.#rule, evaluation) };
    this.first ??= expected;
    this.shown = lastShown(this.#rule, [...this.shown, expected]);
  }

  #goOn(window: Window, state: AlertState): void {
    const open = this.fires.at(-1);
    if (!isOpen(this.#state) || !open) return;
    open.throughAt = Math.max(open.throughAt, window.endAt);
    open.hasEnded = !isOpen(state);
    if (!open.hasEnded) open.openThroughAt = open.throughAt;
  }

  #fireOf(evaluation: Evaluation, at: number): Fire {
    const { current, change } = evaluation;
    const { window } = current;
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

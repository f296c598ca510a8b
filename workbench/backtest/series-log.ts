import type { ReplayedUnseen, ReplayedWindow } from '../../local/replay/replayed.ts';
import { type AlertState, isOpen } from '../../shared/alerts/alert.ts';
import { comparableOf, type Evaluation, type Verdict } from '../../shared/evaluation/evaluation.ts';
import { measureText, percentText } from '../../shared/messages/figure-text.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { metricOf } from '../../shared/rules/watched-metric.ts';
import { quoted } from '../../shared/text/quoted.ts';
import type { Window } from '../../shared/time/window.ts';
import { ZoneClock } from '../../shared/time/zone-clock.ts';

/** One alert from its fire to its end. The figures are those on which it fired: `null` if unknown. */
export interface Fire {
  rule: string;
  segment: string | null;
  /** Window on which it fired. */
  window: Window;
  /** From the first breach that counted to the end of the firing window. */
  onset: Window;
  /** End of the last window in which it was open, or of the window that ended it. */
  throughAt: number;
  /** End of the last window after which it was still open. */
  openThroughAt: number;
  hasEnded: boolean;
  current: number | null;
  baseline: number | null;
  /** As a share of the baseline; `null` for a rise from 0 too. */
  change: number | null;
  /** "2026-03-02 [DE] 100 to 40 (-60%)", in the zone of the rule. */
  text: string;
}

/** The windows of one series in order of evaluation: verdicts and fires. */
export class SeriesLog {
  readonly rule: Rule;
  readonly segment: string | null;
  readonly fires: Fire[] = [];
  readonly #verdicts = new Map<number, Verdict>();
  /** Start of the first window with a verdict. */
  knownFromAt: number | undefined;
  /** Start of the first window with a baseline. */
  comparedFromAt: number | undefined;
  readonly #isMean: boolean;
  /** Whether any value or baseline was other than 0 so far. */
  #hasFigures = false;
  #state: AlertState = 'normal';
  #suspectedSinceAt: number | null = null;

  constructor(rule: Rule, segment: string | null) {
    this.rule = rule;
    this.segment = segment;
    this.#isMean = metricOf(rule).kind === 'mean';
  }

  add({ evaluation, state }: ReplayedWindow): void {
    const { window } = evaluation.current;
    const verdict = this.#verdictOf(evaluation);
    // A window evaluated again replaces its earlier verdict.
    this.#verdicts.set(window.endAt, verdict);
    if (verdict === 'breached' || verdict === 'clear') this.knownFromAt ??= window.startAt;
    if (this.knownFromAt !== undefined || (verdict !== 'no-data' && comparableOf(evaluation) !== null))
      this.comparedFromAt ??= window.startAt;
    if (!isOpen(this.#state) && isOpen(state)) this.fires.push(this.#fireOf(evaluation));
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

  /** An amount that was always 0 may be of a misspelled event, so it counts as unknown. A mean of 0 has a sample. */
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

  #fireOf(evaluation: Evaluation): Fire {
    const { change } = evaluation;
    const { window } = evaluation.current;
    const { rule, segment } = this;
    const [current, baseline] = [evaluation.current.value, comparableOf(evaluation)];
    const figures = current === null || baseline === null ? '' : this.#figuresText(baseline, current, change);
    return {
      ...{ rule: rule.id, segment, window },
      onset: { startAt: this.#suspectedSinceAt ?? window.startAt, endAt: window.endAt },
      throughAt: window.endAt,
      openThroughAt: window.endAt,
      hasEnded: false,
      ...{ current, baseline, change },
      text: [beginText(window, rule), segment === null ? '' : `[${quoted(segment) || '(none)'}]`, figures]
        .filter(Boolean)
        .join(' '),
    };
  }

  /** "100 to 40 (-60%)"; empty for a rule over rules. */
  #figuresText(baseline: number, current: number, change: number | null): string {
    if (this.rule.members) return '';
    const isShare = metricOf(this.rule).kind === 'ratio';
    const by = change === null ? 'new' : percentText(change);
    return `${measureText(baseline, isShare)} to ${measureText(current, isShare)} (${by})`;
  }
}

/** Start of a window in the rule's zone: "2026-03-02", or "2026-03-02 14:00" for an hour. */
function beginText({ startAt }: Window, { window, zone }: Rule): string {
  const local = new Date(new ZoneClock(zone).localOf(startAt)).toISOString();
  return window === 'hour' ? local.slice(0, 16).replace('T', ' ') : local.slice(0, 10);
}

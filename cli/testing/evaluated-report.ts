import { counted } from '../../local/terminal.ts';
import type { Evaluation } from '../../shared/evaluation/evaluation.ts';
import { bandOf } from '../../shared/evaluation/expected-limits.ts';
import { sensitivityOf } from '../../shared/evaluation/sensitivity.ts';
import { sensitivityText } from '../../shared/messages/sensitivity-text.ts';
import type { FigureRule } from '../../shared/rules/rule.ts';
import type { Window } from '../../shared/time/window.ts';
import type { ZoneClock } from '../../shared/time/zone-clock.ts';
import type { Outcome } from '../../workbench/series/evaluate-series.ts';
import { wrapped } from '../terminal/wrapping.ts';
import { HEADING, jsonLine, minuteOf, tableLines } from './evaluated-lines.ts';

/** Characters per write. */
const CHUNK = 65_536;

/** Windows between progress updates. */
const PACE = 4_096;

/** One day of 5-minute windows, the shortest there are. */
const KEPT = 288;

export interface ReportOptions {
  rule: FigureRule;
  clock: ZoneClock;
  json?: true;
  /** Every window, not only breaches and changes of state. */
  all?: true;
  /** The gates of each window; with `json` all that is known of it. */
  gates?: true;
}

/** Prints outcomes as they come, and counts them. */
export class Report {
  readonly #options: ReportOptions;
  readonly #verdicts = new Map<string, number>();
  #span: Window | undefined;
  #open: Window | undefined;
  #windows = 0;
  #fired = 0;
  #state = 'normal';
  /** Since the first value. */
  #sinceAt: number | null = null;
  /** The last evaluations, at least a day of them. */
  #last: Evaluation[] = [];

  constructor(options: ReportOptions) {
    this.#options = options;
  }

  get breached(): number {
    return this.#verdicts.get('breached') ?? 0;
  }

  /** The text to print, in large chunks. */
  async *chunks(outcomes: AsyncIterable<Outcome>, onProgress: () => void): AsyncGenerator<string> {
    let text = this.#options.json ? '' : `${HEADING}\n`;
    for await (const outcome of outcomes) {
      for (const line of this.#linesOf(outcome)) text += `${line}\n`;
      if (this.#windows % PACE === 0) onProgress();
      if (text.length < CHUNK) continue;
      yield text;
      text = '';
    }
    yield this.#options.json ? text : `${text}\n${this.notes().join('\n')}\n`;
  }

  /** Notes on the whole series. */
  notes(): string[] {
    const { clock } = this.#options;
    const { startAt, endAt } = this.#span ?? {};
    const range =
      startAt === undefined || endAt === undefined
        ? ''
        : ` from ${minuteOf(startAt, clock)} to ${minuteOf(endAt, clock)}`;
    const counts = [
      `${this.breached} breached`,
      `fired ${counted(this.#fired, 'time')}`,
      ...(['no-data', 'inconclusive'] as const).flatMap((verdict) => {
        const count = this.#verdicts.get(verdict);
        return count ? [`${count} ${verdict}`] : [];
      }),
    ];
    const { rule } = this.#options;
    const last = this.#last.map((each) => ({ window: each.window, band: bandOf(rule, each) }));
    const sensitivity = sensitivityOf(rule, last, this.#sinceAt);
    const open = this.#open && minuteOf(this.#open.startAt, clock);
    return [
      `${counted(this.#windows, 'window')}${range} (${clock.zone})`,
      counts.join(', '),
      ...(sensitivity ? wrapped(sensitivityText(rule, sensitivity)) : []),
      ...(open ? [`the last window, from ${open}, is not evaluated: no row follows it`] : []),
    ];
  }

  #linesOf(outcome: Outcome): string[] {
    if (outcome.kind === 'open') {
      this.#open = outcome.window;
      return [];
    }
    const { evaluation, state, news } = outcome;
    const { verdict, window } = evaluation;
    this.#windows++;
    this.#add(evaluation);
    this.#verdicts.set(verdict, (this.#verdicts.get(verdict) ?? 0) + 1);
    this.#span = { startAt: this.#span?.startAt ?? window.startAt, endAt: window.endAt };
    if (news.some(({ transition }) => transition === 'fired')) this.#fired++;
    const isEvent = verdict === 'breached' || news.length > 0 || state !== this.#state;
    this.#state = state;
    const { json, all, gates = false, clock } = this.#options;
    if (json) return [jsonLine(outcome, clock, { gates })];
    return all || isEvent ? tableLines(outcome, clock, { gates }) : [];
  }

  /** Only keeps: a band for each window would take longer than its evaluation. */
  #add(evaluation: Evaluation): void {
    if (evaluation.current.value !== null) this.#sinceAt ??= evaluation.window.startAt;
    this.#last.push(evaluation);
    if (this.#last.length >= 2 * KEPT) this.#last = this.#last.slice(-KEPT);
  }
}

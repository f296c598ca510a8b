import type { HealthReason } from '../../shared/evaluation/reason.ts';
import {
  helpfulReadings,
  isRead,
  type Need,
  neededReadings,
  neededWindows,
  wantedRanges,
} from '../../shared/planning/wanted-readings.ts';
import { History } from '../../shared/readings/history.ts';
import type { CallBudget, ReadResult } from '../../shared/readings/metric-source.ts';
import {
  apartByMetric,
  oneByOne,
  parted,
  type ReadRequest,
  readRequestsFor,
  without,
} from '../../shared/readings/read-requests.ts';
import { segmentsIn, seriesOf } from '../../shared/readings/series.ts';
import type { FigureRule } from '../../shared/rules/rule.ts';
import type { CalendarWindows } from '../../shared/time/calendar-windows.ts';
import type { Window } from '../../shared/time/window.ts';
import { type GatherDeps, sendReadRequest } from './send-read-request.ts';

/** Why a reading is missing: `stale` for lack of fresh data, `inconclusive` for lack of calls. */
export interface Gap {
  kind: 'failed' | 'inconclusive' | 'stale';
  reason: HealthReason;
}

/** `out-of-time`: the run had no time left to ask. The next run continues. */
type Unread = Exclude<ReadResult<never>, { kind: 'read' }> | { kind: 'out-of-time' };

/**
 * The readings that rules of one family need: stored ones of earlier runs, and new ones, which are read in three steps
 * and stored. A window is read again only when a re-read is due. After a failed query, no more are sent. `gapFor` says
 * what is missing for a window of a rule. `trouble` is set if other families would certainly fail too, and `failure` if
 * they might.
 */
export class Gathering {
  readonly history: History;
  /** Windows in the calendar of the family. */
  readonly calendarWindows: CalendarWindows;
  trouble: Gap | undefined;
  failure: Gap | undefined;
  #gap: Gap | undefined;
  /** Rules whose metric the service refuses. It may still answer others. */
  readonly #refused = new Map<FigureRule, Gap>();
  readonly #family: string;
  readonly #needs: Need[];
  readonly #deps: GatherDeps;

  private constructor(family: string, needs: Need[], deps: GatherDeps, history: History) {
    this.#family = family;
    this.#needs = needs;
    this.#deps = deps;
    this.history = history;
    this.calendarWindows = deps.calendarWindows;
  }

  /** Starts with the stored readings of earlier runs. */
  static async begin(family: string, needs: Need[], deps: GatherDeps): Promise<Gathering> {
    const withReread = needs.map((need) => ({
      ...need,
      windows: [...need.again.map(({ window }) => window), ...need.windows],
    }));
    const ranges = wantedRanges(withReread, deps.calendarWindows);
    const names = namesOf(needs);
    const snapshots = await Promise.all(ranges.map((range) => deps.readings.load(family, range, names)));
    return new Gathering(family, needs, deps, new History(snapshots.flat()));
  }

  /** Reads what new windows need to be evaluated, and what the same questions return besides. */
  async readNeeded(trouble: Gap | undefined): Promise<void> {
    const needed = neededReadings(
      this.#needs.map((need) => ({ ...need, again: [] })),
      this.history,
      this.calendarWindows,
    );
    const ends = new Set(needed.map(({ window }) => window.endAt));
    const isNeeded = ({ wanted }: ReadRequest) => wanted.some(({ window }) => ends.has(window.endAt));
    await this.#runWhole(this.#pendingRequests().filter(isNeeded), trouble);
  }

  /** Reads windows that were evaluated before and may have changed since. */
  async readAgain(trouble: Gap | undefined): Promise<void> {
    if (!this.#gap) await this.#runWhole(this.#pendingRequests(), trouble);
  }

  /** Reads past windows that were never read, newest first, with spare calls only. */
  async readHistory(untilAt: number): Promise<void> {
    if (this.#gap) return;
    const wanted = helpfulReadings(this.#answerable(), this.history, this.calendarWindows);
    await this.#run(readRequestsFor(wanted, this.#rowsEach(), this.calendarWindows), 'spare', untilAt);
  }

  /** Why readings for `need` in `window` are missing; `undefined` if there are all. */
  gapFor(need: Need, window: Window): Gap | undefined {
    const gap = this.#gap ?? this.#refused.get(need.rule);
    if (!gap) return undefined;
    const needed = neededWindows(need, window, this.calendarWindows);
    return needed.every((each) => isRead(this.history, need.rule, each)) ? undefined : gap;
  }

  /** All requests that must not wait for spare calls, oldest first. */
  #pendingRequests(): ReadRequest[] {
    const { calendarWindows } = this;
    const wanted = neededReadings(this.#answerable(), this.history, calendarWindows);
    return readRequestsFor(wanted, this.#rowsEach(), calendarWindows).reverse();
  }

  #answerable(): Need[] {
    return this.#needs.filter(({ rule }) => !this.#refused.has(rule));
  }

  #rowsEach(): number {
    return rowsPerWindow(this.#needs, this.history);
  }

  async #runWhole(readRequests: ReadRequest[], trouble: Gap | undefined): Promise<void> {
    this.trouble = trouble;
    this.#gap = trouble;
    this.failure = undefined;
    if (trouble) return;
    const unread = await this.#run(readRequests, 'whole', this.#deps.readUntilAt);
    this.#gap = unread && gapOf(unread);
    if (unread && unread.kind !== 'failed') this.trouble = this.#gap;
    if (unread?.kind === 'failed' && unread.retryable) this.failure = this.#gap;
  }

  /**
   * Sends requests until one fails. If the service does not support a range, its windows are read one by one. If a
   * range may be too large, it is retried with one window, then with more at a time while that succeeds. If a request
   * is refused, each metric is asked for separately, so that a metric without an answer does not block the others.
   */
  async #run(readRequests: ReadRequest[], budget: CallBudget, untilAt: number): Promise<Unread | undefined> {
    const reader = { ...this.#deps, family: this.#family, history: this.history };
    const from = budget === 'spare' ? 'newest' : 'oldest';
    const left = [...readRequests];
    let most = Infinity;
    let enough = Infinity;
    for (let readRequest = left.shift(); readRequest; readRequest = left.shift()) {
      const answerable = without(readRequest, this.#refused);
      if (!answerable) continue;
      if (this.#deps.now() >= untilAt) return { kind: 'out-of-time' };
      const [part, ...rest] = parted(answerable, most, from);
      left.unshift(...rest);
      const result = await sendReadRequest(part, budget, reader);
      if (result.kind === 'read') most = Math.min(2 * most, enough);
      else if (result.kind === 'unsupported') {
        const each = oneByOne(part);
        left.unshift(...(from === 'newest' ? each.reverse() : each));
      } else if (result.kind === 'failed' && result.retryable && part.wanted.length > 1) {
        enough = Math.floor(part.wanted.length / 2);
        most = 1;
        left.unshift(part);
      } else if (result.kind === 'failed' && result.isRefusal) {
        const each = apartByMetric(part);
        if (each.length > 1) left.unshift(...each);
        else if (!this.#setAside(part, gapOf(result))) return result;
      } else return result;
    }
    return undefined;
  }

  /** Asks no more for the rules of this request. Returns `false` if there are no others. */
  #setAside({ wanted }: ReadRequest, gap: Gap): boolean {
    for (const rule of wanted.flatMap(({ rules }) => rules)) this.#refused.set(rule, gap);
    return this.#answerable().length > 0;
  }
}

/** The events of the rules; `undefined` if a rule is about all events. */
function namesOf(needs: Need[]): string[] | undefined {
  const each = needs.map(({ rule }) => seriesOf(rule).eventNames);
  return each.every(({ length }) => length > 0) ? [...new Set(each.flat())] : undefined;
}

/** The gap that a question without an answer leaves in the rules that need it. */
export function gapOf(unread: Unread): Gap {
  switch (unread.kind) {
    case 'failed':
      return { kind: 'failed', reason: { code: 'read-failed', error: unread.reason } };
    case 'budget-spent':
      return { kind: 'inconclusive', reason: { code: 'calls-spent', error: unread.reason } };
    case 'out-of-time':
      return { kind: 'inconclusive', reason: { code: 'out-of-time' } };
  }
}

/** Expected rows per window. With segments, twice the most seen, because segments differ between windows. */
function rowsPerWindow(needs: Need[], history: History): number {
  const series = needs.map(({ rule }) => seriesOf(rule));
  const names = Math.max(1, new Set(series.flatMap(({ eventNames }) => eventNames)).size);
  const [first] = series;
  if (!first?.segmentBy) return names;
  return Math.min(2 * history.mostRows() || Infinity, names * segmentsIn(first));
}

import { SILENCE_DAYS } from '../../shared/alerts/usual-silence.ts';
import { callsPerQuestion } from '../../shared/planning/call-cost.ts';
import type { MetricSource, RangeResult } from '../../shared/readings/metric-source.ts';
import type { RangeQuestion, ReadingRow } from '../../shared/readings/reading.ts';
import { questionFor } from '../../shared/readings/series.ts';
import { UpstreamError } from '../../shared/runtime/errors.ts';
import { CalendarWindows } from '../../shared/time/calendar-windows.ts';
import { lastClosedWindow, type Window } from '../../shared/time/window.ts';
import { DAY_MS, HOUR_MS } from '../../shared/units/durations.ts';
import { ArchivedRows } from './archived-rows.ts';
import { halved, inSpans, questionsFor, type Stretch } from './range-questions.ts';

/** Read before the first run, to know when stopped data stopped, and how long silences usually are. */
const FRESH_MS = SILENCE_DAYS * DAY_MS;

interface Reading {
  sourceFor: (app: string) => MetricSource;
  /** Expected number of calls, as far as known in advance. */
  calls: number;
  onProgress: ((done: number, total: number) => void) | undefined;
  signal: AbortSignal | undefined;
}

/** Reads the past and keeps the answers. Throws `UpstreamError` where a query fails. */
export class ArchiveReader {
  readonly rows = new ArchivedRows();
  readonly notes: string[] = [];
  readonly #hours = new Map<string, EventHours>();
  readonly #always = new Set<string>();
  readonly #reading: Reading;
  #calls: number;
  #made = 0;

  constructor(reading: Reading) {
    this.#reading = reading;
    this.#calls = reading.calls;
  }

  newestDataAt(app: string, at: number): number | null {
    return this.#always.has(app) ? at : newestBy(at, this.#hours.get(app) ?? new Map());
  }

  /** The events of an app in the hour that starts then; 0 where none are known. */
  eventsIn(app: string, startAt: number): number {
    return this.#hours.get(app)?.get(startAt) ?? 0;
  }

  /** The first hour with events, unless it is before `from` or older figures exist. */
  beginsAt(app: string, from: number): number | undefined {
    const firstAt = this.#hours.get(app)?.keys().next().value;
    if (firstAt === undefined || firstAt < from) return undefined;
    return this.rows.hasBefore(app, firstAt) ? undefined : firstAt;
  }

  /** Number of events of an app in each hour of a period and the days before it. */
  async readHours(app: string, { startAt, endAt }: Window): Promise<void> {
    const calendarWindows = new CalendarWindows({ grain: 'hour', zone: 'UTC' });
    const last = calendarWindows.after(lastClosedWindow(endAt - 1, calendarWindows.calendar));
    const count = Math.ceil((last.endAt - (startAt - FRESH_MS)) / 3_600_000);
    const hours: EventHours = new Map();
    for (const windows of inSpans(calendarWindows.through(last, count), Infinity)) {
      const { calendar } = calendarWindows;
      const result = await this.#ask({
        ...{ app, endpoint: 'event', filters: [], aggregations: [{ attribute: 'event_count' }] },
        ...{ windows, calendar, inOneAnswer: true },
      });
      if (result.kind === 'unsupported') {
        this.#always.add(app);
        this.notes.push(
          `${app}: the service does not know when data arrived, so data counts as fresh in every run`,
        );
        return;
      }
      if (result.kind !== 'read') throw this.#refusal(app, result.reason);
      for (const [i, { startAt: at }] of windows.entries()) {
        const events = result.value[i]?.[0]?.current?.event_count ?? 0;
        if (events > 0) hours.set(at, events);
      }
    }
    this.#hours.set(app, hours);
  }

  /**
   * Reads a stretch by ranges; `false` where the service does not support its buckets, or returned no rows.
   * Newest first: an answer without rows is trusted only after another range had exact buckets.
   */
  async readStretch(stretch: Stretch): Promise<boolean> {
    const questions = questionsFor(stretch);
    const answers: { question: RangeQuestion; rows: ReadingRow[][] }[] = [];
    for (let question = questions.pop(); question; question = questions.pop()) {
      const result = await this.#ask(question);
      if (result.kind === 'read') answers.push({ question, rows: result.value });
      else if (result.kind === 'unsupported') {
        const parts = halved(question);
        if (!parts) return false;
        questions.push(...parts);
      } else throw this.#refusal(question.app, result.reason);
    }
    // Added when complete, because a retried query must not count twice.
    for (const { question, rows } of answers)
      for (const [i, window] of question.windows.entries()) this.rows.add(question, window, rows[i] ?? []);
    return true;
  }

  /** Reads windows without ranges, two per query, within the spare calls of an hour. */
  async readOneByOne(stretches: Stretch[]): Promise<void> {
    this.#calls += callsFor(stretches);
    for (const stretch of stretches) await this.#readPairs(stretch);
  }

  async #readPairs({ rules, windows }: Stretch): Promise<void> {
    for (let i = windows.length - 1; i >= 0; i -= 2) {
      const window = windows[i];
      const before = windows[i - 1];
      if (!window) break;
      this.#reading.signal?.throwIfAborted();
      const question = questionFor(rules, window);
      const result = await this.#reading.sourceFor(question.app).read(question, 'spare');
      this.#progress(callsPerQuestion(rules));
      if (result.kind !== 'read') throw this.#refusal(question.app, result.reason);
      const own = result.value.flatMap(({ previous: _, ...row }) => (row.current ? [row] : []));
      this.rows.add(question, window, own);
      const older = result.value.flatMap(({ current: _, previous, ...row }) =>
        previous ? [{ ...row, current: previous }] : [],
      );
      if (before) this.rows.add(question, before, older);
    }
  }

  async #ask(question: RangeQuestion): Promise<RangeResult> {
    const { sourceFor, signal } = this.#reading;
    signal?.throwIfAborted();
    const result = await sourceFor(question.app).readRange(question, 'whole');
    this.#progress(1);
    return result;
  }

  #progress(calls: number): void {
    this.#made += calls;
    this.#reading.onProgress?.(Math.min(this.#made, this.#calls), this.#calls);
  }

  #refusal(app: string, reason: string): UpstreamError {
    return new UpstreamError(
      `past data of ${app} cannot be read: ${reason}. At least ${this.#calls} calls are needed, and ` +
        `${this.#made} were made; nothing was evaluated`,
      { retryable: true },
    );
  }
}

function callsFor(stretches: Stretch[]): number {
  return stretches.reduce(
    (sum, { rules, windows }) => sum + Math.ceil(windows.length / 2) * callsPerQuestion(rules),
    0,
  );
}

/** Number of events of an app by the start of the hour, oldest first, without hours that have none. */
type EventHours = Map<number, number>;

/** Time of the newest event by `at`, if the events of an hour are spread evenly; `null` before the first. */
export function newestBy(at: number, hours: EventHours): number | null {
  const firstAt = hours.keys().next().value ?? Infinity;
  for (let startAt = at - (at % HOUR_MS); startAt >= firstAt; startAt -= HOUR_MS) {
    const events = hours.get(startAt) ?? 0;
    const eachMs = HOUR_MS / events;
    const count = Math.min(events, Math.floor((at - startAt) / eachMs + 0.5));
    if (count > 0) return Math.floor(startAt + (count - 0.5) * eachMs);
  }
  return null;
}

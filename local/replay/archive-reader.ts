import { Almanac } from '../../shared/alerting/almanac.ts';
import type { MetricSource, RangeResult } from '../../shared/alerting/ports.ts';
import type { RangeQuestion } from '../../shared/alerting/reading.ts';
import { questionFor } from '../../shared/alerting/series.ts';
import { lastClosedWindow, type Window } from '../../shared/alerting/window.ts';
import { UpstreamError } from '../../shared/runtime/errors.ts';
import { ArchivedRows } from './archived-rows.ts';
import { EventHours } from './event-hours.ts';
import { halved, inSpans, questionsFor } from './range-questions.ts';
import type { Stretch } from './stretches.ts';

/** How long before the first run data may have stopped for it to be known since when. */
const FRESH_MS = 7 * 86_400_000;

/** Calls that are worth it where windows must be read one by one: what services of this kind allow in an hour. */
const MOST_CALLS = 500;

interface Reading {
  sourceFor: (app: string) => MetricSource;
  /** How many questions the whole takes as far as can be told before. */
  questions: number;
  onProgress: ((done: number, total: number) => void) | undefined;
  signal: AbortSignal | undefined;
}

/** Asks for the past and keeps what was answered. Throws `UpstreamError` where something is not. */
export class ArchiveReader {
  readonly rows = new ArchivedRows();
  readonly notes: string[] = [];
  readonly #hours = new Map<string, EventHours>();
  readonly #always = new Set<string>();
  readonly #reading: Reading;
  #asked = 0;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  newestDataAt(app: string, at: number): number | null {
    return this.#always.has(app) ? at : (this.#hours.get(app)?.newestBy(at) ?? null);
  }

  /** How many events an app had in each hour of a span and of the days before it. */
  async readHours(app: string, { startAt, endAt }: Window): Promise<void> {
    const almanac = new Almanac({ grain: 'hour', zone: 'UTC' });
    const last = almanac.after(lastClosedWindow(endAt - 1, almanac.calendar));
    const count = Math.ceil((last.endAt - (startAt - FRESH_MS)) / 3_600_000);
    const hours = new EventHours();
    for (const windows of inSpans(almanac.through(last, count), Infinity)) {
      const aggregations = [{ attribute: 'event_count' }];
      const about = { app, endpoint: 'event' as const, filters: [], aggregations };
      const result = await this.#ask({ ...about, windows, calendar: almanac.calendar, inOneAnswer: true });
      if (result.kind === 'unsupported') {
        this.#always.add(app);
        this.notes.push(
          `${app}: the service cannot say when its data came, so they count as fresh at every run`,
        );
        return;
      }
      if (result.kind !== 'read') throw this.#refusal(app, result.reason);
      for (const [i, { startAt: at }] of windows.entries())
        hours.add(at, result.value[i]?.[0]?.current?.event_count ?? 0);
    }
    this.#hours.set(app, hours);
  }

  /** Reads a stretch by ranges; `false` where the service does not part figures so, or answered without rows. */
  async readStretch(stretch: Stretch): Promise<boolean> {
    const questions = questionsFor(stretch);
    for (let question = questions.shift(); question; question = questions.shift()) {
      const result = await this.#ask(question);
      if (result.kind === 'read')
        for (const [i, window] of question.windows.entries())
          this.rows.add(question, window, result.value[i] ?? []);
      else if (result.kind === 'unsupported') {
        const parts = halved(question);
        if (!parts) return false;
        questions.unshift(...parts);
      } else throw this.#refusal(question.app, result.reason);
    }
    return true;
  }

  /** Each answer tells of two windows. Refuses before it begins where that would take more than an hour's calls. */
  async readOneByOne({ rules, windows }: Stretch): Promise<void> {
    const [first] = rules;
    if (!first) return;
    const { app } = first;
    const calls = Math.ceil(windows.length / 2);
    if (calls > MOST_CALLS)
      throw new UpstreamError(
        `${app}: its service does not part figures by ${first.window}s of ${first.zone}, so the past of ` +
          `${rules.map(({ id }) => id).join(', ')} takes ${calls} calls, which is more than an hour allows: ` +
          'ask about fewer days',
        { retryable: false },
      );
    for (let i = windows.length - 1; i >= 0; i -= 2) {
      const window = windows[i];
      const before = windows[i - 1];
      if (!window) break;
      this.#reading.signal?.throwIfAborted();
      const question = questionFor(rules, window);
      const result = await this.#reading.sourceFor(app).read(question, 'whole');
      if (result.kind !== 'read') throw this.#refusal(app, result.reason);
      const own = result.value.flatMap(({ previous: _, ...row }) => (row.current ? [row] : []));
      this.rows.add(question, window, own);
      const older = result.value.flatMap(({ current: _, previous, ...row }) =>
        previous ? [{ ...row, current: previous }] : [],
      );
      if (before) this.rows.add(question, before, older);
    }
  }

  async #ask(question: RangeQuestion): Promise<RangeResult> {
    const { sourceFor, questions, onProgress, signal } = this.#reading;
    signal?.throwIfAborted();
    const result = await sourceFor(question.app).readRange(question, 'whole');
    this.#asked += 1;
    onProgress?.(Math.min(this.#asked, questions), questions);
    return result;
  }

  #refusal(app: string, reason: string): UpstreamError {
    const { questions } = this.#reading;
    return new UpstreamError(
      `the past of ${app} could not be read: ${reason}. It takes at least ${questions} calls, of which ` +
        `${this.#asked} were made; nothing is judged on a part of it`,
      { retryable: true },
    );
  }
}

import { checkRules } from '../../functions/check-rules/check-rules.ts';
import { notifyPending } from '../../functions/notify/notify.ts';
import { planChecks } from '../../functions/plan-checks/plan-checks.ts';
import { silentMeter } from '../../local/terminal.ts';
import type { Batch } from '../../shared/planning/plan.ts';
import type { MetricSource, ReadResult } from '../../shared/readings/metric-source.ts';
import type {
  Question,
  RangeQuestion,
  ReadingRow,
  SeriesKey,
  Subject,
} from '../../shared/readings/reading.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { type Clock, ManualClock } from '../../shared/runtime/clock.ts';
import { inMemoryStores } from '../../shared/store/in-memory/stores.ts';
import type { Stores } from '../../shared/store/stores.ts';
import { contentHash } from '../../shared/text/content-hash.ts';
import { cadenceName } from '../../shared/time/cadence.ts';
import type { Window } from '../../shared/time/window.ts';
import { DAY_MS, HOUR_MS } from '../../shared/units/durations.ts';
import { createFakeChannel } from '../fakes/fake-channel.ts';
import { inMemoryQueue } from '../fakes/in-memory-queue.ts';
import { MONDAY, ruleNamed, ruleSetOf } from '../fixtures/builders.ts';

/** The figure of a series on the day that began `day` days after `MONDAY`; `undefined` for no row. */
type Figure = (
  day: number,
  series: { eventName?: string; segment?: string },
  now: number,
) => number | undefined;

/** Thrown where a process dies. */
export class Crash extends Error {}

export interface WorldOptions {
  rules: Rule[];
  figure: Figure;
  /** The number of sessions that means are over on a day; by default the figure. */
  sessions?: (day: number) => number;
  segments?: string[];
  parts?: Parts;
  /** In memory by default. */
  stores?: Stores;
}

/** The values of each attribute, and the figure of a combination of values. */
export interface Parts {
  values: Partial<Record<string, string[]>>;
  figure: (day: number, values: Partial<Record<string, string>>) => number;
}

/**
 * The functions wired over fakes, one tick a day. Stores survive a crash; queued batches and everything that a run
 * holds in memory do not.
 */
export function createWorld(options: WorldOptions) {
  let { rules } = options;
  const stores = options.stores ?? inMemoryStores();
  const clock = new ManualClock(MONDAY);
  const channel = createFakeChannel();
  const source = sourceOf(options, clock);
  const logged: { message: string; fields: unknown }[] = [];
  const log = (message: string, fields?: unknown) => void logged.push({ message, fields });
  const counted: Record<string, number> = {};
  const planned: Batch[] = [];
  const wakeUps = inMemoryQueue<{ tick: string }>();
  let stepsToCrash = Number.POSITIVE_INFINITY;
  let life = newLife();
  const mortal = <T extends object>(port: T): T => {
    const own = life;
    return new Proxy(port, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function' || !/^(save|send|take|finish|give)/.test(String(name)))
          return method;
        return async (...args: unknown[]) => {
          const result: unknown = own.isOver || (await method.apply(target, args));
          if (!own.isOver && --stepsToCrash >= 0) return result;
          own.isOver = true;
          own.ended.reject(new Crash(String(name)));
          // A dead process gets no results, so it does nothing more.
          return new Promise(() => {});
        };
      },
    });
  };

  const depsNow = () => ({
    rules: stores.rules,
    alerts: mortal(stores.alerts),
    readings: mortal(stores.readings),
    runs: mortal(stores.runs),
    silences: stores.silences,
    notes: stores.notes,
    deliveries: mortal(stores.deliveries),
    wakeUps: mortal(wakeUps),
    sourceFor: () => source,
    channelFor: async () => mortal(channel),
    clock,
    logger: { info: log, warn: log, error: log },
    meter: {
      ...silentMeter,
      count: (what: string, by = 1) => {
        counted[what] = (counted[what] ?? 0) + by;
      },
    },
  });

  const run = (scheduledAt: number) => Promise.race([runWhole(scheduledAt), life.ended.promise]);

  async function runWhole(scheduledAt: number): Promise<void> {
    clock.advanceTo(scheduledAt);
    const batches = inMemoryQueue<Batch>();
    const deps = { ...depsNow(), batches: mortal(batches) };
    const version = contentHash(rules);
    const deployed = await stores.rules.findCurrent();
    if (deployed?.version !== version) await stores.rules.save({ ...ruleSetOf(...rules), version });
    const [first] = rules;
    if (!first) return;
    await planChecks({ cadence: cadenceName(first.cadence), scheduledAt }, deps);
    const taken = batches.take();
    planned.push(...taken);
    for (const batch of taken) await checkRules(batch, deps);
    await notifyPending(deps);
  }

  return {
    ...stores,
    /** All batches that were queued. */
    planned,
    /** The ticks that woke up notify. */
    wokenUp: () => wakeUps.take().map(({ tick }) => tick),
    /** Delivers a batch again. */
    check: (batch: Batch) => checkRules(batch, depsNow()),
    /** The rules that the next tick finds deployed. */
    deploy(...next: Rule[]): void {
      rules = next;
    },
    clock,
    channel,
    source,
    logged,
    counted,
    /** The tick of the rules' cadence at this time. */
    tickAt: run,
    /** The tick that evaluates the day `day` days after `MONDAY`. */
    tick: (day: number) => run(MONDAY + (day + 1) * DAY_MS + HOUR_MS),
    async ticks(from: number, through: number): Promise<void> {
      for (let day = from; day <= through; day++) await this.tick(day);
    },
    /** The process dies right after this many more writes. */
    crashAfter(writes: number): void {
      stepsToCrash = writes;
    },
    revive(): void {
      stepsToCrash = Number.POSITIVE_INFINITY;
      life = newLife();
    },
    /** "fired rule [segment]" of everything that was sent, in order. */
    notified: () =>
      channel.sent.flatMap(({ items }) =>
        items.map(
          ({ transition, ruleId, segment }) =>
            `${transition} ${ruleId}${segment === null ? '' : ` [${segment}]`}`,
        ),
      ),
  };
}

function newLife() {
  const ended = Promise.withResolvers<never>();
  // Avoids an unhandled rejection if nothing awaits it.
  ended.promise.catch(() => {});
  return { isOver: false, ended };
}

interface FakeSource extends MetricSource {
  questions: Question[];
  ranges: RangeQuestion[];
  /** Whether it supports time buckets. */
  hasBuckets: boolean;
  /** The number of reads, including failed ones. */
  reads: number;
  /** Whether a question fails with `trouble`; by default all do. */
  troubles: (question: Subject) => boolean;
  /** The result of failing reads. */
  trouble: Exclude<ReadResult<never>, { kind: 'read' }> | undefined;
  /** No data is newer than this. */
  stoppedAt: number;
}

function sourceOf({ figure, sessions, segments, parts }: WorldOptions, clock: Clock): FakeSource {
  return {
    questions: [],
    ranges: [],
    hasBuckets: true,
    reads: 0,
    troubles: () => true,
    trouble: undefined,
    stoppedAt: Number.POSITIVE_INFINITY,
    async read(question) {
      this.reads += 1;
      if (this.trouble && this.troubles(question)) return this.trouble;
      this.questions.push(question);
      if (question.groupBy) return { kind: 'read', value: parts ? partRows(question, parts) : [] };
      return {
        kind: 'read',
        value: rowsOf(question, (day, series) => figure(day, series, clock.now()), { segments, sessions }),
      };
    },
    async readRange(question) {
      this.reads += 1;
      if (this.trouble && this.troubles(question)) return this.trouble;
      this.ranges.push(question);
      if (!this.hasBuckets) return { kind: 'unsupported', reason: 'it has no time buckets' };
      const { windows, ...subject } = question;
      const value = windows.map((window) => {
        const asked = { ...subject, window, previous: window };
        const rows = rowsOf(asked, (day, series) => figure(day, series, clock.now()), {
          segments,
          sessions,
        });
        return rows.map(({ previous: _, ...row }) => row);
      });
      return { kind: 'read', value };
    },
    async readNewestEventAt() {
      this.reads += 1;
      return this.trouble ?? { kind: 'read', value: Math.min(this.stoppedAt, clock.now()) };
    },
  };
}

function partRows(question: Question, { values, figure }: Parts): ReadingRow[] {
  const [key = ''] = question.aggregations.map(({ attribute }) => attribute);
  const attributes = (question.groupBy ?? []).map(({ attribute }) => attribute);
  const combinations = attributes.reduce<string[][]>(
    (before, attribute) =>
      before.flatMap((some) => (values[attribute] ?? []).map((value) => [...some, value])),
    [[]],
  );
  return combinations.map((groups) => {
    const named = Object.fromEntries(attributes.map((attribute, i) => [attribute, groups[i]]));
    const at = ({ startAt }: Window) => ({ [key]: figure((startAt - MONDAY) / DAY_MS, named) });
    const [eventName] = question.eventNames ?? [];
    return {
      ...(eventName !== undefined && { eventName }),
      groups,
      current: at(question.window),
      previous: at(question.previous),
    };
  });
}

function rowsOf(
  question: Question,
  figure: (...of: [day: number, series: SeriesKey]) => number | undefined,
  { segments, sessions }: { [Key in 'segments' | 'sessions']: WorldOptions[Key] | undefined },
): ReadingRow[] {
  const keys = question.aggregations.map(({ attribute, operator }) =>
    operator ? `${operator}_${attribute}` : attribute,
  );
  const names = question.eventNames ?? [undefined];
  return names.flatMap((eventName) =>
    (question.segmentBy ? (segments ?? []) : [undefined]).flatMap((segment) => {
      const series = { ...(eventName && { eventName }), ...(segment !== undefined && { segment }) };
      const at = (window: Window) => figure((window.startAt - MONDAY) / DAY_MS, series);
      const figures = (amount: number, { startAt }: Window) =>
        Object.fromEntries(
          keys.map((key) => {
            const isWeight = sessions && key === 'session_count';
            return [key, isWeight ? sessions((startAt - MONDAY) / DAY_MS) : amount];
          }),
        );
      const [current, previous] = [at(question.window), at(question.previous)];
      if (current === undefined && previous === undefined) return [];
      return [
        {
          ...series,
          current: figures(current ?? 0, question.window),
          previous: figures(previous ?? 0, question.previous),
        },
      ];
    }),
  );
}

/** 1,000 a day, some 3% up and down; 300 on days 20 to 22. */
export const dropOnDay20 = (day: number) => (day >= 20 && day <= 22 ? 300 : day % 2 ? 1030 : 970);
export const drop: WorldOptions = { rules: [ruleNamed('sales')], figure: dropOnDay20 };

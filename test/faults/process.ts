import type { Clock } from '../../shared/runtime/clock.ts';
import { UpstreamError } from '../../shared/runtime/errors.ts';
import type { Fault, Faults } from './faults.ts';
import type { Scheduler } from './scheduler.ts';

/** How the run of one function ended. */
export type End = 'done' | 'failed' | 'killed';

export type Outcome = { value: unknown } | { error: unknown };

/** A call of a port that was carried out, whether or not the run gets its result. */
export interface Call {
  by: Process;
  name: string;
  args: readonly unknown[];
  fault: Fault | undefined;
}

interface PortOptions {
  onCall?: (call: Call, outcome: Outcome) => void;
  odds?: Partial<Record<Fault, number>>;
}

interface Calling extends Required<PortOptions> {
  carryOut: () => unknown;
}

const WRITES = /^(save|send|finish|take|giveBack)/;

/** How far the clock of one run may be off. */
export const SKEW_MS = 20_000;

/** Latencies of one call, in milliseconds. */
const [SHORT, LONG] = [40, 20_000];

/**
 * One run of a function, which may be killed at any of its calls or by its timeout. A killed run gets no more results
 * and makes no more calls. A call that it already made is still carried out.
 */
export class Process {
  readonly name: string;
  readonly clock: Clock;
  readonly #world: { scheduler: Scheduler; faults: Faults };
  readonly #ended = Promise.withResolvers<End>();
  readonly #counts = new Map<string, number>();
  /** The faults so far. */
  faultCount = 0;
  #isOver = false;

  constructor(name: string, world: { scheduler: Scheduler; faults: Faults }) {
    this.name = name;
    this.#world = world;
    const { scheduler, faults } = world;
    const skew = faults.areDueAt(scheduler.now)
      ? Math.round((faults.chance(`${name} skew`) * 2 - 1) * SKEW_MS)
      : 0;
    this.clock = {
      now: () => scheduler.now + skew,
      sleep: (milliseconds) => this.#waiting((resolve) => scheduler.after(milliseconds, () => resolve())),
    };
  }

  /** Runs `work` until it ends, is killed, or has taken `timeoutMs`. */
  run(timeoutMs: number, work: () => Promise<unknown>): Promise<End> {
    this.#world.scheduler.after(timeoutMs, () => this.#end('killed'));
    work().then(
      () => this.#end('done'),
      (error: unknown) => {
        this.#end('failed');
        // A mistake in the code, which no fault explains: it is reported as unhandled.
        if (error instanceof TypeError) throw error;
      },
    );
    return this.#ended.promise;
  }

  /** The port as this run sees it. */
  port<T extends object>(of: string, port: T, { onCall = () => {}, odds }: PortOptions = {}): T {
    return new Proxy(port, {
      get: (target, property) => {
        const method: unknown = Reflect.get(target, property);
        if (typeof method !== 'function') return method;
        const byDefault = WRITES.test(String(property)) ? ON_WRITES : ON_READS;
        return (...args: unknown[]) =>
          this.#call(`${of}.${String(property)}`, args, {
            odds: odds ?? byDefault,
            carryOut: () => method.apply(target, args),
            onCall,
          });
      },
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** A fault for the next call of this name, or none. */
  fault(name: string, odds: Partial<Record<Fault, number>>): Fault | undefined {
    const { scheduler, faults } = this.#world;
    const fault = faults.pick(this.#labelOf(name), scheduler.now, odds);
    if (fault) this.faultCount++;
    return fault;
  }

  /** Ends the run here. Its waiting promises never resolve. */
  kill(): void {
    this.#end('killed');
  }

  /** Once the run is over, these promises never resolve. */
  #waiting<T>(start: (resolve: (value: T | PromiseLike<T>) => void) => void): Promise<T> {
    return new Promise((resolve) =>
      start((value) => {
        if (!this.#isOver) resolve(value);
      }),
    );
  }

  #call(name: string, args: unknown[], { odds, carryOut, onCall }: Calling): Promise<unknown> {
    const { scheduler } = this.#world;
    const fault = this.fault(name, odds);
    if (fault === 'killed before') this.kill();
    return new Promise((resolve, reject) => {
      if (this.#isOver) return;
      scheduler.after(this.#latency(name, fault), async () => {
        const outcome = fault === 'throttled' ? throttled(name) : await settled(carryOut);
        if (fault !== 'throttled') onCall({ by: this, name, args, fault }, outcome);
        const last = fault === 'repeated' ? await settled(carryOut) : outcome;
        if (fault === 'killed after') this.kill();
        scheduler.after(this.#latency(name, undefined), () => {
          if (this.#isOver) return;
          if (fault === 'answer lost')
            reject(new UpstreamError(`the answer to ${name} was lost`, { retryable: true }));
          else if ('error' in last) reject(last.error);
          else resolve(last.value);
        });
      });
    });
  }

  #latency(name: string, fault: Fault | undefined): number {
    const share = this.#world.faults.chance(`${this.name} ${name} latency ${this.#counts.get(name) ?? 0}`);
    return 1 + Math.round(share * (fault === 'slow' ? LONG : SHORT));
  }

  #labelOf(name: string): string {
    const nth = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, nth);
    return `${this.name} ${name} #${nth}`;
  }

  #end(end: End): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (end === 'killed') this.faultCount++;
    this.#ended.resolve(end);
  }
}

const ON_WRITES: Partial<Record<Fault, number>> = {
  'killed before': 0.008,
  'killed after': 0.012,
  throttled: 0.012,
  'answer lost': 0.012,
  repeated: 0.01,
  slow: 0.03,
};
const ON_READS: Partial<Record<Fault, number>> = { 'killed before': 0.003, throttled: 0.008, slow: 0.01 };

function throttled(name: string): Outcome {
  return { error: new UpstreamError(`${name} was throttled`, { retryable: true }) };
}

async function settled(carryOut: () => unknown): Promise<Outcome> {
  try {
    return { value: await carryOut() };
  } catch (error) {
    return { error };
  }
}

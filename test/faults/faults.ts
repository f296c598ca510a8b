import { chance } from './chance.ts';

/** What can go wrong with one call of a port. */
const FAULTS = [
  'killed before',
  'killed after',
  'throttled',
  'answer lost',
  'repeated',
  'slow',
  'refused',
  'refused with a time',
  'refused for good',
  'taken in part',
  'delivered twice',
  'delivered late',
  'never delivered',
  'down',
] as const;
export type Fault = (typeof FAULTS)[number];

export interface Happened {
  /** The call it happened to, such as `check-rules/3 alerts.save #2`. */
  label: string;
  fault: Fault;
  at: number;
}

/** How many channels have an outage, and how long it may be. */
const [OUTAGES, LONGEST_OUTAGE_MS] = [0.2, 40 * 3_600_000];

/** The time range of the faults, and labels of faults to leave out. */
export interface FaultSpan {
  from: number;
  until: number;
  leftOut?: ReadonlySet<string> | undefined;
}

/** The faults of one seed. Each is decided by its label alone, and may be left out to find out which ones matter. */
export class Faults {
  readonly happened: Happened[] = [];
  readonly #seed: number;
  readonly #span: FaultSpan;
  /** The fault rate of this seed: some seeds have few faults, some very many. */
  readonly #rate: number;

  constructor(seed: number, span: FaultSpan) {
    this.#seed = seed;
    this.#span = span;
    this.#rate = [0.25, 1, 1, 2, 4][Math.floor(chance(seed, 'rate') * 5)] ?? 1;
  }

  /** Whether the channel is down at this time: in some seeds one is, for hours or a day. */
  isDown(channel: string, at: number): boolean {
    const label = `outage of ${channel}`;
    if (this.#span.leftOut?.has(label) || this.chance(label) > OUTAGES) return false;
    const from = this.#span.from + this.chance(`${label} from`) * (this.#span.until - this.#span.from);
    const until = Math.min(this.#span.until, from + this.chance(`${label} for`) * LONGEST_OUTAGE_MS);
    if (at < from || at >= until) return false;
    if (!this.happened.some((each) => each.label === label)) this.happened.push({ label, fault: 'down', at });
    return true;
  }

  /** Whether anything may go wrong at this time. */
  areDueAt(at: number): boolean {
    return this.#span.from <= at && at < this.#span.until;
  }

  /** A number in [0, 1) for this label. */
  chance(label: string): number {
    return chance(this.#seed, label);
  }

  /** One of these faults, each with its probability, or none. */
  pick(label: string, at: number, odds: Partial<Record<Fault, number>>): Fault | undefined {
    if (!this.areDueAt(at) || this.#span.leftOut?.has(label)) return undefined;
    let left = chance(this.#seed, label);
    for (const fault of FAULTS) {
      left -= (odds[fault] ?? 0) * this.#rate;
      if (left >= 0) continue;
      this.happened.push({ label, fault, at });
      return fault;
    }
    return undefined;
  }
}

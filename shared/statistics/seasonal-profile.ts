import { SlotHistory } from './slot-history.ts';

/** Number of seasons in the median of a slot. More reduce noise; fewer follow changes faster. */
const SEASONS = 8;

/** Until a day has all of them, the days of its kind count as this many seasons more. */
const BORROWED_DAYS = 2;

/** The hour of the day counts as this many seasons of a slot with one event, and as fewer of a slot with more. */
const BORROWED_EVENTS = 10;

const DAYS = 7;

/** The same for the shorter season, which is used until the long one is known. */
const SUB_SEASONS = 14;

/**
 * The level of a series and the profile of its season. The expected value of a slot is the level times the median
 * ratio of this slot's value to the level in the last seasons. Medians of few numbers are noise, so a slot borrows: a day
 * of few seasons from the days of its kind, an hour of few events from its hour of the day.
 */
export class SeasonalProfile {
  readonly #slots: SlotHistory;
  readonly #subSlots: SlotHistory;
  readonly #recent: Float64Array;
  #sum = 0;
  #learned = 0;
  #scale = 0;

  constructor({ slots, subSlots, level }: { slots: number; subSlots: number; level: number }) {
    this.#slots = new SlotHistory(slots, SEASONS);
    this.#subSlots = new SlotHistory(subSlots, SUB_SEASONS);
    this.#recent = new Float64Array(level);
  }

  /** The moving average of the last values. */
  get level(): number {
    return this.#sum / Math.min(this.#learned, this.#recent.length);
  }

  /** The last level above 0; 0 if there was none. */
  get scale(): number {
    return this.#scale;
  }

  /** Whether the whole season is known. */
  get isSettled(): boolean {
    return this.#learned >= 2 * this.#slots.size;
  }

  /** The expected value of the slot, `grain` being one event; `undefined` until two of the shorter seasons are known. */
  expectedIn(slot: number, grain: number): number | undefined {
    if (this.#learned < 2 * this.#subSlots.size) return undefined;
    const ofSubSlot = this.#subSlots.median(slot % this.#subSlots.size) ?? 1;
    const own = this.isSettled ? this.#slots.median(slot) : undefined;
    if (own === undefined) return this.level * ofSubSlot;
    const seasons = this.#slots.sizeIn(slot);
    const isDay = this.#slots.size === DAYS;
    if (isDay && seasons === SEASONS) return this.level * own;
    const [common, borrowed] = isDay
      ? [this.#ofAlikeDays(own), BORROWED_DAYS]
      : [ofSubSlot, BORROWED_EVENTS / Math.max(1, (this.level * ofSubSlot) / grain)];
    return (this.level * (seasons * own + borrowed * common)) / (seasons + borrowed);
  }

  /** The mean of the working days, or of the weekend: the days on one side of the largest gap. `own`: of one of them. */
  #ofAlikeDays(own: number): number {
    const days = Array.from({ length: DAYS }, (_, day) => this.#slots.median(day) ?? own).sort(
      (a, b) => a - b,
    );
    const gaps = days.slice(1).map((each, i) => each - (days[i] ?? each));
    const split = gaps.indexOf(Math.max(...gaps)) + 1;
    const alike = own < (days[split] ?? own) ? days.slice(0, split) : days.slice(split);
    return alike.reduce((sum, each) => sum + each, 0) / alike.length;
  }

  learn(slot: number, value: number): void {
    const place = this.#learned % this.#recent.length;
    this.#sum += value - (this.#recent[place] ?? 0);
    this.#recent[place] = value;
    this.#learned++;
    // Without rounding errors a series of zeros has the level 0.
    if (place === 0) this.#sum = this.#recent.reduce((sum, each) => sum + each, 0);
    // A level left by rounding errors is no scale.
    if (value > 0 && this.level > 0) this.#scale = this.level;
    const share = this.level > 0 ? value / this.level : 1;
    this.#slots.push(slot, share);
    this.#subSlots.push(slot % this.#subSlots.size, share);
  }
}

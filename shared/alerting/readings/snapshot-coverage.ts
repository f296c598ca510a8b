import type { IndexedSnapshot, Shape } from './indexed-snapshot.ts';

/** Which sheets answer all of `keys` for an event, or for everything if none is named. */
export class Coverage {
  readonly eventName: string | undefined;
  readonly keys: readonly string[];
  /** Thousands of sheets are of a few shapes. */
  readonly #known = new Map<Shape, boolean>();

  constructor(eventName: string | undefined, keys: readonly string[]) {
    this.eventName = eventName;
    this.keys = keys;
  }

  has({ shape }: IndexedSnapshot): boolean {
    const known = this.#known.get(shape);
    if (known !== undefined) return known;
    const isOfEvent = this.eventName === undefined || shape.eventNames.has(this.eventName);
    const has = isOfEvent && this.keys.every((key) => shape.keys.includes(key));
    this.#known.set(shape, has);
    return has;
  }

  /** Those of `sheets` that it has: most often all of them, which are then not copied. */
  among(snapshots: readonly IndexedSnapshot[]): readonly IndexedSnapshot[] {
    for (const snapshot of snapshots)
      if (!this.has(snapshot)) return snapshots.filter((each) => this.has(each));
    return snapshots;
  }
}

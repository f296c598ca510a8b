import type { IndexedSnapshot, Shape } from './indexed-snapshot.ts';

/** Which snapshots have all of `keys` for an event, or for all events if it is `undefined`. */
export class Coverage {
  readonly eventName: string | undefined;
  readonly keys: readonly string[];
  /** By shape, as thousands of snapshots have a few shapes. */
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

  /** The covered ones of `snapshots`. Returns the same array if all are covered, which is the common case. */
  among(snapshots: readonly IndexedSnapshot[]): readonly IndexedSnapshot[] {
    for (const snapshot of snapshots)
      if (!this.has(snapshot)) return snapshots.filter((each) => this.has(each));
    return snapshots;
  }
}

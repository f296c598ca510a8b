/** A value that is made on demand, and made again after it is dropped or could not be made. */
export class Kept<T> {
  readonly #make: () => Promise<T>;
  readonly #retire: (made: T) => void;
  #made: Promise<T> | undefined;
  #ended = false;

  constructor(make: () => Promise<T>, retire: (made: T) => void = () => {}) {
    this.#make = make;
    this.#retire = retire;
  }

  get(): Promise<T> {
    const given = this.#made ?? this.#remake();
    // Nothing else will retire a value that is made after `end`.
    if (this.#ended) this.drop();
    return given;
  }

  /** Drops the value, and every later value as soon as it is returned. */
  end(): void {
    this.#ended = true;
    this.drop();
  }

  /** Retires the value; the next caller makes a new one. */
  drop(): void {
    // A caller that just received the old value can start to use it before it is retired.
    this.#made?.then((made) => setImmediate(() => this.#retire(made))).catch(() => {});
    this.#made = undefined;
  }

  #remake(): Promise<T> {
    const made = this.#make();
    this.#made = made;
    // After a failure, the next caller tries again.
    made.catch(() => {
      if (this.#made === made) this.#made = undefined;
    });
    return made;
  }
}

import type { Alert, AlertKey } from '../../shared/alerts/alert.ts';
import type { AlertStore } from '../../shared/alerts/alert-store.ts';
import { ConflictError } from '../../shared/runtime/errors.ts';

/** Concurrent requests to the table. More would only wait. */
const AT_ONCE = 32;

/**
 * The alerts of one sweep. Channels are served concurrently and change the same alerts, so changes of one alert run one
 * after another. A change is repeated on the stored alert if another run saved it meanwhile.
 */
export class LoadedAlerts {
  readonly #store: AlertStore;
  readonly #known = new Map<string, Alert>();
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(store: AlertStore) {
    this.#store = store;
  }

  /** The alerts as found, or as this sweep saved them since: the index lags behind the table. */
  newest(found: Alert[]): Alert[] {
    return found.map((alert) => {
      const known = this.#known.get(nameOf(alert));
      const newest = known && known.revision > alert.revision ? known : alert;
      this.#known.set(nameOf(alert), newest);
      return newest;
    });
  }

  /** Applies `change` to the current alert and saves it. Returns `undefined` if the alert is gone. */
  async change(key: AlertKey, change: (alert: Alert) => Alert): Promise<Alert | undefined> {
    const name = nameOf(key);
    const before = this.#last.get(name) ?? Promise.resolve();
    const changed = before.then(() => this.#save(key, change));
    // The next change must not fail because of this one.
    const done = changed.catch(() => {});
    this.#last.set(name, done);
    try {
      return await changed;
    } finally {
      if (this.#last.get(name) === done) this.#last.delete(name);
    }
  }

  async #save(key: AlertKey, change: (alert: Alert) => Alert): Promise<Alert | undefined> {
    let stored = this.#known.get(nameOf(key)) ?? (await this.#load(key));
    while (stored) {
      const next = change(stored);
      if (next === stored) return stored;
      try {
        const saved = await this.#store.save(next);
        this.#known.set(nameOf(key), saved);
        return saved;
      } catch (error) {
        if (!(error instanceof ConflictError)) throw error;
        stored = await this.#load(key);
      }
    }
    return undefined;
  }

  async #load(key: AlertKey): Promise<Alert | undefined> {
    const [stored] = await this.#store.load([{ ruleId: key.ruleId, segment: key.segment }]);
    return stored;
  }
}

/** Maps all items with `work`, at most 32 at a time. Results are in the order of items. */
export async function eachOf<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [i, item] of queue) results[i] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
  return results;
}

export function nameOf({ ruleId, segment }: AlertKey): string {
  return JSON.stringify([ruleId, segment]);
}

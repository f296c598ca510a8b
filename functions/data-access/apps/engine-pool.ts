import { type DuckDbEngine, type DuckDbLimits, openDuckDb } from '../engines/duckdb/engine.ts';
import { fairQueue } from '../engines/fair-queue.ts';
import { type Lease, leaseOf, retire, withLease } from './lease.ts';
import { ReloadingFile } from './reloading-file.ts';

/** Open databases. Beyond this, the least recently used one is closed first. */
const MAX_OPEN = 4;

/**
 * The engines of a process, one per file. They share the memory of `limits` in equal parts: one part per file
 * (`fileCount`), up to the maximum of open engines. A retired engine closes when its requests have finished; until then
 * the process may use one more part.
 */
export function enginePool(limits: DuckDbLimits, fileCount: () => Promise<number>) {
  // Least recently used first.
  const files = new Map<string, ReloadingFile<Lease<DuckDbEngine>>>();
  // Never decreases, because an open engine keeps its part.
  let parts = 1;
  const partsAtOpening = new Map<string, number>();
  let closed = false;
  // One query keeps the threads busy and the next is ready when it pauses. More would compete for memory, and for the
  // threads of Node that each query occupies.
  const queue = fairQueue({ slots: limits.threads });

  const open = async (path: string): Promise<Lease<DuckDbEngine>> => {
    parts = Math.max(parts, Math.min(MAX_OPEN, await fileCount()));
    for (const [other, file] of files)
      if (other !== path && (partsAtOpening.get(other) ?? parts) < parts) file.drop();
    partsAtOpening.set(path, parts);
    const part = { ...limits, memoryLimit: partOf(limits.memoryLimit, parts) };
    return leaseOf(await openDuckDb(path, part, queue));
  };

  const fileAt = (path: string): ReloadingFile<Lease<DuckDbEngine>> => {
    const file = files.get(path) ?? new ReloadingFile(path, open, retire);
    files.delete(path);
    files.set(path, file);
    const [oldest] = files;
    if (files.size > MAX_OPEN && oldest !== undefined) {
      files.delete(oldest[0]);
      oldest[1].end();
    }
    // A request can arrive here after `close`. It is answered, and nothing stays open.
    if (closed) file.end();
    return file;
  };

  return {
    /** Runs `use` on the current file, even if it is replaced meanwhile. Undefined if there is no file. */
    async withEngine<T>(
      path: string,
      use: (engine: DuckDbEngine) => Promise<T>,
    ): Promise<{ answer: T } | undefined> {
      const file = fileAt(path);
      const lease = await file.get();
      if (lease === undefined) return undefined;
      return { answer: await withLease(lease, use, () => file.drop()) };
    },

    /** Closes each engine when its current requests have finished. */
    close(): void {
      closed = true;
      for (const file of files.values()) file.end();
    },
  };
}

/** A third of `1GB` is `333MB`. */
function partOf(size: string, parts: number): string {
  const [, digits, unit] = /^(\d+)(MB|GB)$/.exec(size) ?? [];
  if (digits === undefined) throw new RangeError(`${size} is not a size in MB or GB`);
  return `${Math.floor((Number(digits) * (unit === 'GB' ? 1000 : 1)) / parts)}MB`;
}

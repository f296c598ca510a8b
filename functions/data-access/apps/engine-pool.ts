import { UpstreamError } from '../../../shared/runtime/errors.ts';
import { type DuckDbEngine, type DuckDbLimits, openDuckDb } from '../engines/duckdb.ts';
import { turnstile } from '../engines/fair-queue.ts';
import { FromFile } from './reloading-file.ts';

/** Open at once at most; of more apps, the one that was asked longest ago is closed first. */
const MOST_OPEN = 4;

/** An engine that is closed once it was retired and the last question to it is answered. */
interface Lease {
  readonly engine: DuckDbEngine;
  users: number;
  retired: boolean;
}

function closeIfUnused(lease: Lease): void {
  if (lease.retired && lease.users === 0) lease.engine.close();
}

function retire(lease: Lease): void {
  lease.retired = true;
  closeIfUnused(lease);
}

/**
 * The engines of a process, over one file each. The memory that `limits` allows is for all of them: each gets the same
 * part, of as many parts as there are files (`fileCount`), up to the most that are open at once. What is retired is
 * closed as soon as its questions are answered, so for that long a process may have one part more.
 */
export function openEngines(limits: DuckDbLimits, fileCount: () => Promise<number>) {
  // In the order in which they were last asked.
  const files = new Map<string, FromFile<Lease>>();
  // Never fewer again: what is open keeps the part it was given.
  let parts = 1;
  const partsAtOpening = new Map<string, number>();
  let closed = false;
  // One query keeps the threads busy, the next is ready when it pauses; more at once would only fight for memory, and
  // for the threads of Node that each of them occupies.
  const inTurn = turnstile({ places: limits.threads });

  const open = async (path: string): Promise<Lease> => {
    parts = Math.max(parts, Math.min(MOST_OPEN, await fileCount()));
    for (const [other, file] of files)
      if (other !== path && (partsAtOpening.get(other) ?? parts) < parts) file.drop();
    partsAtOpening.set(path, parts);
    const part = { ...limits, memoryLimit: partOf(limits.memoryLimit, parts) };
    const engine = await openDuckDb(path, part, inTurn);
    return { engine, users: 0, retired: false };
  };

  const fileAt = (path: string): FromFile<Lease> => {
    const file = files.get(path) ?? new FromFile(path, open, retire);
    files.delete(path);
    files.set(path, file);
    const [oldest] = files;
    if (files.size > MOST_OPEN && oldest !== undefined) {
      files.delete(oldest[0]);
      oldest[1].end();
    }
    // A request that had begun may get here late; it is answered, and leaves nothing open.
    if (closed) file.end();
    return file;
  };

  return {
    /** Runs `use` against the file as it is now: one swapped meanwhile is not seen. Undefined where there is none. */
    async withEngine<T>(
      path: string,
      use: (engine: DuckDbEngine) => Promise<T>,
    ): Promise<{ answer: T } | undefined> {
      const file = fileAt(path);
      const lease = await file.get();
      if (lease === undefined) return undefined;
      lease.users += 1;
      try {
        return { answer: await use(lease.engine) };
      } catch (error) {
        // DuckDB may keep failing once it failed. Whoever failed later must not drop what was opened since.
        if (error instanceof UpstreamError && error.retryable && !lease.retired) file.drop();
        throw error;
      } finally {
        lease.users -= 1;
        closeIfUnused(lease);
      }
    },

    /** Answers what was asked before, then closes. */
    close(): void {
      closed = true;
      for (const file of files.values()) file.end();
    },
  };
}

/** `1GB` in three parts is `333MB`. */
function partOf(size: string, parts: number): string {
  const [, digits, unit] = /^(\d+)(MB|GB)$/.exec(size) ?? [];
  if (digits === undefined) throw new RangeError(`${size} is no size in MB or GB`);
  return `${Math.floor((Number(digits) * (unit === 'GB' ? 1000 : 1)) / parts)}MB`;
}

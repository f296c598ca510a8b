import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { silentMeter } from '../../local/terminal.ts';
import type { Item, Table } from '../../shared/store/table.ts';
import { reportingUnreadable } from '../../shared/store/unreadable-items.ts';

/** An item with one defect, such as "health.kind: of a later version". */
export interface Broken {
  what: string;
  item: Item;
}

type Path = (string | number)[];

/** Key attributes. DynamoDB rejects other types for them. */
const KEYS = new Set(['pk', 'sk', 'expiresAt', 'pendingShard', 'pendingAt', 'openShard', 'stateSinceAt']);

const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

const WRONG = {
  missing: undefined,
  'of another type': { a: { b: [null] } },
  'of a later version': 'of-a-later-version',
} as const;

/** Copies of the item with one defect each, in every value, including compressed ones. */
export function brokenBy(item: Item): Broken[] {
  const open = unpacked(item);
  const ways = pathsIn(open)
    .filter(([first]) => !KEYS.has(String(first)))
    .flatMap((path) =>
      Object.entries(WRONG).map(([how, value]) => {
        const broken = structuredClone(open);
        put(broken, path, value);
        return { what: `${path.join('.').replace('.packed', '')}: ${how}`, item: repacked(broken) };
      }),
    );
  const torn = Object.entries(item).flatMap(([name, value]) =>
    value instanceof Uint8Array
      ? [{ what: `${name}: not JSON`, item: { ...item, [name]: Buffer.from('{"a":') } }]
      : [],
  );
  return [...ways, ...torn];
}

function pathsIn(value: unknown, path: Path = []): Path[] {
  const own = path.length > 0 && path.at(-1) !== 'packed' ? [path] : [];
  if (value === null || typeof value !== 'object' || value instanceof Set || value instanceof Uint8Array)
    return own;
  // The first entries of a list stand for all.
  const entries =
    Array.isArray(value) && path.length > 1 ? Object.entries(value).slice(0, 2) : Object.entries(value);
  return [...own, ...entries.flatMap(([key, each]) => pathsIn(each, [...path, key]))];
}

function put(target: unknown, path: Path, value: unknown): void {
  const [first = '', ...rest] = path;
  if (target === null || typeof target !== 'object') return;
  if (rest.length > 0) put(Reflect.get(target, first), rest, value);
  else if (value === undefined) Reflect.deleteProperty(target, first);
  else Reflect.set(target, first, value);
}

/** The item with compressed attributes as `{ packed }`. */
function unpacked(item: Item): Item {
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => {
      if (!(value instanceof Uint8Array)) return [name, value];
      try {
        return [name, { packed: JSON.parse(brotliDecompressSync(value).toString('utf8')) }];
      } catch {
        return [name, value];
      }
    }),
  );
}

function repacked(item: Item): Item {
  const entries = Object.entries(item).map(([name, value]) =>
    value !== null && typeof value === 'object' && 'packed' in value
      ? [name, brotliCompressSync(JSON.stringify(value.packed), FAST)]
      : [name, value],
  );
  return Object.fromEntries(entries);
}

/** The table as functions use it, with the recorded logs and counts. */
export function watched(table: Table) {
  const logged: string[] = [];
  const counted: string[] = [];
  const log = (message: string, fields = {}) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const logger = { info: log, warn: log, error: log };
  const meter = { ...silentMeter, count: (what: string) => void counted.push(what) };
  return { opened: reportingUnreadable(table, logger, meter), logged, counted };
}

export function itemsOf(table: Table, pk: string): Promise<Item[]> {
  return table.query({ partition: pk });
}

import { accessSync, closeSync, constants, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync, DatabaseSyncOptions, SQLInputValue } from 'node:sqlite';
import type { Clock } from '../runtime/clock.ts';
import { ConflictError } from '../runtime/errors.ts';
import { lazyBy } from '../units/lazy.ts';
import { damagedTable, goneTable, isBusy, openFailure, queryFailure } from './sqlite-faults.ts';
import type { Change, Condition, Item, Key, Query, Table } from './table.ts';
import { INDEXES, TABLE } from './table-schema.ts';

/** How long a process waits for the write of another one. */
const BUSY_MS = 10_000;

/** Attributes that are columns too, to be found by. */
const COLUMNS = [TABLE.expiryAttribute, ...INDEXES.flatMap((each) => [each.partitionKey, each.sortKey])].map(
  (column) => (typeof column === 'string' ? column : column.name),
);

/** `doc` is the whole item. The index of expired items is for their removal. */
const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS items (pk TEXT, sk TEXT, doc TEXT NOT NULL, ${COLUMNS.join(', ')}, PRIMARY KEY (pk, sk))`,
  ...[
    ['expiry', TABLE.expiryAttribute],
    ...INDEXES.map((each) => [each.name, each.partitionKey.name, each.sortKey.name]),
  ].map(
    ([name, ...columns]) =>
      `CREATE INDEX IF NOT EXISTS by_${name} ON items (${columns.join(', ')}) WHERE ${columns[0]} IS NOT NULL`,
  ),
];

/**
 * WAL: processes read while one writes. NORMAL: a commit is in the log before it is acknowledged, so a killed process
 * loses nothing. Only a power cut may undo the last moments, whole writes from the newest backwards; their rules are
 * evaluated again. FULL would wait for the disk at each of thousands of writes of a run, and all requests with it.
 */
const PRAGMAS = `PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;`;
const RETRY_MS = 10;

export interface SqliteTable extends Table {
  /** Expired items are hidden. This frees their space. */
  removeExpired(): void;
  close(): void;
}

/**
 * Opens the table in a file, or in memory (`:memory:`), and creates it if it is missing. Several processes can use a file
 * at once. Throws `ConfigError` if it is damaged or cannot be written.
 */
export function openSqliteTable(path: string, clock: Clock): SqliteTable {
  const database = opened(path);
  const file = fileAt(path);
  const prepared = lazyBy((sql: string) => database.prepare(sql));
  const nowSeconds = () => clock.now() / 1000;
  const LIVE = `(${TABLE.expiryAttribute} IS NULL OR ${TABLE.expiryAttribute} > ?)`;
  const UPSERT = `INSERT OR REPLACE INTO items (pk, sk, doc, ${COLUMNS.join(', ')})
    VALUES (?, ?, ?${', ?'.repeat(COLUMNS.length)})`;

  function find({ pk, sk }: Partial<Record<keyof Key, unknown>>): Item | undefined {
    const row = prepared(`SELECT doc FROM items WHERE pk = ? AND sk = ? AND ${LIVE}`).get(
      columnOf(pk),
      columnOf(sk),
      nowSeconds(),
    );
    return row && itemIn(row.doc);
  }

  function write(item: Item): void {
    prepared(UPSERT).run(
      columnOf(item.pk),
      columnOf(item.sk),
      textOf(item),
      ...COLUMNS.map((name) => columnOf(item[name])),
    );
  }

  function query({ index, partition, from, through, newestFirst, only, atMost }: Query): Item[] {
    const { partitionKey, sortKey } = index ?? TABLE;
    const values: SQLInputValue[] = [partition];
    let where = `${partitionKey.name} = ?`;
    for (const [operator, bound] of [
      ['>=', from],
      ['<=', through],
    ] as const) {
      if (bound === undefined) continue;
      where += ` AND ${sortKey.name} ${operator} ?`;
      values.push(bound);
    }
    const doc =
      only === undefined ? 'doc' : `json_object('pk', pk, 'sk', sk, '${only}', doc -> '${only}') AS doc`;
    const order = `ORDER BY ${sortKey.name} ${newestFirst ? 'DESC' : 'ASC'}`;
    const limit = atMost === undefined || atMost === Infinity ? '' : ` LIMIT ${Math.trunc(atMost)}`;
    const sql = `SELECT ${doc} FROM items WHERE ${where} AND ${LIVE} ${order}${limit}`;
    return Array.from(prepared(sql).iterate(...values, nowSeconds()), (row) => itemIn(row.doc));
  }

  /** Runs `work` in a transaction: no other process writes between its reads and its writes. */
  function alone<T>(work: () => T): T {
    database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      database.exec('COMMIT');
      return result;
    } catch (error) {
      // SQLite has ended the transaction itself if the disk is full.
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  }

  async function translated<T>(work: () => T): Promise<T> {
    try {
      if (fileAt(path) !== file) throw goneTable(path);
      return work();
    } catch (cause) {
      throw queryFailure(path, cause);
    }
  }

  const putIf = (item: Item, isAllowed: (stored: Item | undefined) => boolean) =>
    translated(() =>
      alone(() => {
        if (!isAllowed(find(item))) throw conflict();
        write(item);
      }),
    );

  return {
    name: path,
    clock,
    get: (key) => translated(() => find(key)),
    getAll: (keys) =>
      translated(() => {
        const distinct = new Map(keys.map((key) => [JSON.stringify([key.pk, key.sk]), key]));
        return [...distinct.values()].map((key) => find(key)).filter((item) => item !== undefined);
      }),
    query: (wanted) => translated(() => query(wanted)),
    put: (item, ...conditions) =>
      conditions.length === 0
        ? translated(() => write(item))
        : putIf(item, (stored) => conditions.every((condition) => holds(condition, stored))),
    putNew: (item) => putIf(item, (stored) => stored === undefined),
    putAll: (items) => translated(() => alone(() => items.forEach(write))),
    update: (key, change, ...conditions) =>
      translated(() =>
        alone(() => {
          const stored = find(key);
          if (!conditions.every((condition) => holds(condition, stored))) throw conflict();
          const item = { ...changed(stored ?? {}, change), ...key };
          write(item);
          return item;
        }),
      ),
    removeExpired() {
      prepared(`DELETE FROM items WHERE ${TABLE.expiryAttribute} <= ?`).run(nowSeconds());
    },
    close: () => database.close(),
  };
}

function opened(path: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    // SQLite would open it for reading only.
    for (const each of [dirname(path), path]) if (existsSync(each)) accessSync(each, constants.W_OK);
    database = openFile(path);
    setUp(database);
    const found = database.prepare('PRAGMA quick_check(1)').get()?.quick_check;
    if (found !== 'ok') throw damagedTable(path, found);
    for (const statement of SCHEMA) database.exec(statement);
    return database;
  } catch (cause) {
    database?.close();
    throw openFailure(path, cause);
  }
}

/** SQLite does not wait for another process that creates the same file. */
function setUp(database: DatabaseSync): void {
  for (let left = BUSY_MS / RETRY_MS; ; left--)
    try {
      database.exec(PRAGMAS);
      return;
    } catch (error) {
      if (left === 0 || !isBusy(error)) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
}

/** The number of the file, which another file at the same path does not have. Memory has none. */
const fileAt = (path: string): number | undefined =>
  path === ':memory:' ? undefined : statSync(path, { throwIfNoEntry: false })?.ino;

/** Opens a database, or creates one that only this user can open. SQLite gives its log the same rights. */
export function openFile(path: string, options: DatabaseSyncOptions = {}): DatabaseSync {
  if (path !== ':memory:' && !options.readOnly && !existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  return new (sqlite().DatabaseSync)(path, options);
}

/** Loaded when a table is opened. Node 22 warns that it is experimental, which no user needs to know. */
function sqlite() {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

function holds(condition: Condition, stored: Item | undefined): boolean {
  const value = stored?.[condition.attribute];
  if ('is' in condition) return (value === undefined) === (condition.is === 'absent');
  if (value === undefined) return condition.orAbsent === true;
  return 'equals' in condition
    ? value === condition.equals
    : typeof value === 'number' && value <= condition.atMost;
}

function changed(stored: Item, { set, setIfAbsent, add = {}, include = {} }: Change): Item {
  const item: Item = { ...setIfAbsent, ...stored, ...set };
  for (const [name, more] of Object.entries(add)) item[name] = Number(item[name] ?? 0) + more;
  for (const [name, member] of Object.entries(include)) {
    const members = item[name];
    item[name] = new Set(members instanceof Set ? members : []).add(member);
  }
  return item;
}

function conflict(): ConflictError {
  return new ConflictError('another run changed this first');
}

function columnOf(value: unknown): SQLInputValue {
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

/** JSON. Bytes and sets, which only attributes can be, are objects with one key. */
function textOf(item: Item): string {
  const entries = Object.entries(item).map(([name, value]) => {
    if (value instanceof Uint8Array) return [name, { $bytes: Buffer.from(value).toString('base64') }];
    return [name, value instanceof Set ? { $set: [...value] } : value];
  });
  return JSON.stringify(Object.fromEntries(entries));
}

function itemIn(doc: unknown): Item {
  const item: Item = JSON.parse(String(doc));
  for (const [name, value] of Object.entries(item)) {
    if (value === null || typeof value !== 'object') continue;
    if ('$bytes' in value) item[name] = Buffer.from(String(value.$bytes), 'base64');
    else if ('$set' in value && Array.isArray(value.$set)) item[name] = new Set(value.$set);
  }
  return item;
}

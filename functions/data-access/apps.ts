import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type * as z from 'zod';
import { ConfigError } from '../../shared/runtime/errors.ts';
import { type ApiKeyRecord, type AppSettings, apiKeysSchema, appSettingsSchema } from './app-settings.ts';
import { DEFAULT_LIMITS, type DuckDbEngine, type DuckDbLimits, openDuckDb } from './engines/duckdb.ts';
import type { Engine } from './engines/engine.ts';

/** An app that can be asked. */
export interface App {
  readonly settings: AppSettings;
  readonly engine: Engine;
}

/** The apps that the service has data of, and who may read them. */
export interface Apps {
  /** The key with this SHA-256 (hex), if there is one. */
  keyOf(sha256: string): Promise<ApiKeyRecord | undefined>;
  settingsOf(appId: string): Promise<AppSettings | undefined>;
  /** Runs `use` against the app's data as they are now: a file swapped meanwhile is not seen. Undefined without data. */
  withApp<T>(appId: string, use: (app: App) => Promise<T>): Promise<{ answer: T } | undefined>;
  close(): void;
}

/** A thing made from a file, and made anew when another file takes its place. */
class FromFile<T> {
  readonly #path: string;
  readonly #make: (path: string) => Promise<T>;
  readonly #retire: (made: T) => void;
  #version = '';
  #made: Promise<T> | undefined;

  constructor(path: string, make: (path: string) => Promise<T>, retire: (made: T) => void = () => {}) {
    this.#path = path;
    this.#make = make;
    this.#retire = retire;
  }

  /** Undefined where there is no file. */
  async get(): Promise<T | undefined> {
    const found = await stat(this.#path).catch(absent);
    if (found === undefined) return undefined;
    const version = `${found.ino} ${found.mtimeMs} ${found.size}`;
    if (this.#made === undefined || this.#version !== version) {
      this.drop();
      this.#version = version;
      const made = this.#make(this.#path);
      this.#made = made;
      // What failed to be made is tried again by the next caller.
      made.catch(() => {
        if (this.#made === made) this.#made = undefined;
      });
    }
    return this.#made;
  }

  drop(): void {
    // Whoever was just handed the old thing gets to take hold of it before it is retired.
    this.#made?.then((made) => setImmediate(() => this.#retire(made))).catch(() => {});
    this.#made = undefined;
  }
}

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}

/** An engine that is closed once it was replaced and the last question to it is answered. */
interface Shared {
  readonly engine: DuckDbEngine;
  users: number;
  retired: boolean;
}

function closeIfUnused(shared: Shared): void {
  if (shared.retired && shared.users === 0) shared.engine.close();
}

function retire(shared: Shared): void {
  shared.retired = true;
  closeIfUnused(shared);
}

/** The apps of a data directory: `keys.json`, and for each app `<id>.json` and `<id>.duckdb`. */
export function appsIn(directory: string, limits: DuckDbLimits = DEFAULT_LIMITS): Apps {
  const file = (name: string) => join(directory, name);
  const keys = new FromFile(file('keys.json'), (path) => readJson(path, apiKeysSchema));
  const settings = new Map<string, FromFile<AppSettings>>();
  const data = new Map<string, FromFile<Shared>>();

  const openShared = async (path: string): Promise<Shared> => ({
    engine: await openDuckDb(path, limits),
    users: 0,
    retired: false,
  });
  const dataOf = (appId: string) =>
    entry(data, appId, () => new FromFile(file(`${appId}.duckdb`), openShared, retire)).get();
  const settingsOf = (appId: string) =>
    entry(settings, appId, () => new FromFile(file(`${appId}.json`), readSettings)).get();

  return {
    keyOf: async (sha256) => (await keys.get())?.find((key) => key.sha256 === sha256),
    settingsOf,
    async withApp(appId, use) {
      const found = await settingsOf(appId);
      const shared = await dataOf(appId);
      if (found === undefined || shared === undefined) return undefined;
      shared.users += 1;
      try {
        return { answer: await use({ settings: found, engine: shared.engine }) };
      } finally {
        shared.users -= 1;
        closeIfUnused(shared);
      }
    },
    close() {
      for (const opened of data.values()) opened.drop();
    },
  };
}

function entry<T>(map: Map<string, T>, key: string, make: () => T): T {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}

const readSettings = (path: string): Promise<AppSettings> => readJson(path, appSettingsSchema);

async function readJson<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> {
  const parsed = schema.safeParse(JSON.parse(await readFile(path, 'utf8')));
  if (!parsed.success) throw new ConfigError(`a settings file is wrong: ${parsed.error.message}`);
  return parsed.data;
}

import { createHash } from 'node:crypto';
import * as z from 'zod';
import { type WatchedApp, watchedAppSchema, watchedApps } from '../alerts/app-alert.ts';
import { inBatchesOf } from '../aws/requests.ts';
import { RULE_FORMAT } from '../deployments/deployment.ts';
import type { RuleSet, Wanted } from '../deployments/rule-store.ts';
import { type Routes, routesSchema } from '../notifications/routes.ts';
import { builtRuleSchema, entryOf, type Rule, storedRuleSchema } from '../rules/rule.ts';
import { ConfigError, errorText, UnreadableItemError } from '../runtime/errors.ts';
import { unchangeable } from '../runtime/unchangeable.ts';
import { cadenceName } from '../time/cadence.ts';
import { pack, packed } from './item-packing.ts';
import { expiryAfter, type Item, type Key, type Table, tookPlace } from './table.ts';
import { faultsIn, parseSole, unreadableItem } from './unreadable-items.ts';

/**
 * A rule set is stored in parts of up to 100 rules of one cadence, those of an app together, each under a partition of
 * its own. The index says which part has which rule. The manifest is written last: a version without one does not exist.
 */
const MANIFEST = 'MANIFEST';
const INDEX = 'INDEX#';
const PART = 'PART';
const RULES_PER_PART = 100;
const PARTS_PER_INDEX = 100;

/** The parts that a process keeps: it does not read, and hold, hundreds of thousands of rules that it needs once. */
const KEPT_PARTS = 200;

/** How long a replaced set is kept: a rollback of the deployment that replaced it makes it current again. */
const KEEP_DAYS = 30;

const AT_ONCE = 32;

const partSchema = z.object({
  /** Of its packed rules. It is also the end of its key. */
  hash: z.string(),
  cadence: z.string(),
  apps: z.array(z.string()),
  ids: z.array(z.string()),
});
type Part = z.infer<typeof partSchema>;
const partsSchema = z.array(partSchema);
const appsSchema = z.array(watchedAppSchema);

/** Rules with their positions in the order of their files. */
const placedSchema = z.array(z.tuple([z.number(), builtRuleSchema]));
type Placed = z.infer<typeof placedSchema>;

const manifestSchema = z.object({
  savedAt: z.number(),
  /** `RULE_FORMAT` of the code that built the rules. */
  ruleFormat: z.number(),
  routes: routesSchema,
  apps: packed(appsSchema),
  partCount: z.number(),
});
const indexSchema = z.object({ parts: packed(partsSchema) });
const partItemSchema = z.object({ rules: packed(placedSchema) });

/** Why rules cannot be read, by their ids. */
export type Faults = Map<string, UnreadableItemError>;

/** A stored rule set. Its rules are read as they are wanted. */
export interface StoredRuleSet {
  routes: Routes;
  apps: WatchedApp[];
  /** Whether this version of the code wrote it. */
  isOwn: boolean;
  /** At least the wanted rules in the order of their files, without members. */
  read(wanted: Wanted | undefined): Promise<{ rules: Rule[]; faults: Faults }>;
  /** Lets its items expire, except those that were written again since it was opened. */
  expire(): Promise<void>;
}

/** Opens rule sets, and keeps the parts that were read last. */
export function partsIn(table: Table) {
  const kept = new Map<string, Placed>();

  async function open(version: string): Promise<StoredRuleSet> {
    const items = await table.query({ partition: partitionOf(version), from: INDEX, through: MANIFEST });
    const manifest = items.find(({ sk }) => sk === MANIFEST);
    if (!manifest) throw new ConfigError(`no rules of version ${version} were deployed`);
    const { savedAt, ruleFormat, routes, apps, partCount } = parsedItem(table, manifestSchema, manifest);
    const isOwn = ruleFormat === RULE_FORMAT;
    const indexes = items.filter((item) => item !== manifest);
    const parts = indexes.flatMap((item) => parsedItem(table, indexSchema, item).parts);
    if (parts.length !== partCount) throw incomplete(version, partCount, parts.length);
    return {
      ...{ routes, apps, isOwn },
      async read(wanted) {
        const asked = parts.filter((part) => mayHold(part, wanted));
        const faults: Faults = new Map();
        const placed = await readParts(version, asked, isOwn, faults);
        return { rules: placed.toSorted(([a], [b]) => a - b).map(([, rule]) => rule), faults };
      },
      async expire() {
        const expiresAt = expiryAfter(table.clock.now(), KEEP_DAYS);
        const keys = [...items.map(keyIn), ...parts.map((part) => partKey(version, part))];
        for (const batch of inBatchesOf(AT_ONCE, keys))
          await Promise.all(
            batch.map((key) =>
              tookPlace(table.update(key, { set: { expiresAt } }, { attribute: 'savedAt', equals: savedAt })),
            ),
          );
      },
    };
  }

  async function readParts(version: string, parts: Part[], isOwn: boolean, faults: Faults): Promise<Placed> {
    const unread = parts.filter(({ hash }) => !kept.has(hash));
    const items = await table.getAll(unread.map((part) => partKey(version, part)));
    if (items.length < unread.length) throw incomplete(version, unread.length, items.length);
    const byHash = new Map(
      items.map((item) => [String(item.pk).slice(partitionOf(version).length + 1), item]),
    );
    return parts.flatMap((part) => {
      const item = byHash.get(part.hash);
      const known = kept.get(part.hash);
      if (!item) return known ?? [];
      const before = faults.size;
      const placed = placedIn(item, part, isOwn, faults);
      if (faults.size > before) return placed;
      kept.set(part.hash, unchangeable(placed));
      for (const oldest of kept.keys()) if (kept.size > KEPT_PARTS) kept.delete(oldest);
      return placed;
    });
  }

  return { open };
}

/** Writes all parts of the set, even if they are there: some may be about to expire. */
export async function writeRuleSet(table: Table, { version, rules, routes }: RuleSet): Promise<void> {
  const [pk, savedAt] = [partitionOf(version), table.clock.now()];
  const written = partsOf(rules).map((placed) => {
    const bytes = pack(placedSchema, placed);
    const own = placed.map(([, rule]) => rule);
    const part: Part = {
      hash: hashOf(bytes),
      cadence: own[0] ? cadenceName(own[0].cadence) : '',
      apps: [...new Set(own.map(({ app }) => app))],
      ids: own.map(({ id }) => id),
    };
    return { part, item: { ...partKey(version, part), savedAt, rules: bytes } };
  });
  const indexes = inBatchesOf(
    PARTS_PER_INDEX,
    written.map(({ part }) => part),
  );
  await table.putAll([
    ...written.map(({ item }) => item),
    ...indexes.map((parts, i) => ({
      ...{ pk, sk: `${INDEX}${String(i).padStart(4, '0')}`, savedAt },
      parts: pack(partsSchema, parts),
    })),
  ]);
  const apps = pack(appsSchema, watchedApps(rules));
  await table.put({
    ...{ pk, sk: MANIFEST, savedAt, ruleFormat: RULE_FORMAT },
    ...{ routes, apps, partCount: written.length },
  });
}

function partsOf(rules: Rule[]): Placed[] {
  const byCadence = Map.groupBy(rules.entries(), ([, { cadence }]) => cadenceName(cadence));
  return [...byCadence.values()].flatMap((own) => {
    const byApp = Map.groupBy(own, ([, { app }]) => app);
    return inBatchesOf(RULES_PER_PART, [...byApp.values()].flat());
  });
}

function mayHold({ cadence, apps, ids }: Part, wanted: Wanted | undefined): boolean {
  if (!wanted) return true;
  if ('cadence' in wanted) return cadence === wanted.cadence;
  return 'app' in wanted ? apps.includes(wanted.app) : ids.some((id) => wanted.ids.has(id));
}

/** The rules of a part. They are trusted if this version of the code built them and nobody changed them since. */
function placedIn(item: Item, part: Part, isOwn: boolean, faults: Faults): Placed {
  const read = partItemSchema.safeParse(item);
  if (!read.success) for (const id of part.ids) faults.set(id, unreadableItem(item, read.error));
  const placed = read.data?.rules ?? [];
  if (isOwn && item.rules instanceof Uint8Array && hashOf(item.rules) === part.hash) return placed;
  return placed.flatMap(([at, rule]): Placed => {
    try {
      return [[at, storedRuleSchema.parse(entryOf(rule))]];
    } catch (error) {
      const reason = `rule ${rule.id}: ${error instanceof z.ZodError ? faultsIn(error) : errorText(error)}`;
      faults.set(rule.id, new UnreadableItemError(keyIn(item), reason, { cause: error }));
      return [];
    }
  });
}

/** Unlike a rule, the version and its routes cannot be skipped: without them nothing can be sent. */
export function parsedItem<T>(table: Table, schema: z.ZodType<T>, item: Item): T {
  try {
    return parseSole(table, schema, item);
  } catch (error) {
    throw error instanceof UnreadableItemError ? unknownForm(error) : error;
  }
}

export function unknownForm(cause: UnreadableItemError, ruleId?: string): ConfigError {
  const { pk, sk } = cause.item;
  const what = `${ruleId === undefined ? '' : `the rule ${ruleId} in `}item ${pk} / ${sk} of the table`;
  return new ConfigError(
    `${what} cannot be read: restore the table from a backup, or use the version of Deltawatch that wrote it`,
    { cause },
  );
}

function incomplete(version: string, expected: number, found: number): ConfigError {
  return new ConfigError(
    `the rules of version ${version} should have ${expected} parts and have ${found}: deploy them again`,
  );
}

function partitionOf(version: string): string {
  return `RULES#${version}`;
}

function partKey(version: string, { hash }: Pick<Part, 'hash'>): Key {
  return { pk: `${partitionOf(version)}#${hash}`, sk: PART };
}

function keyIn({ pk, sk }: Item): Key {
  return { pk: String(pk), sk: String(sk) };
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}

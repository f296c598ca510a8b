import * as z from 'zod';
import {
  type Deployed,
  deployedBy,
  deployedSchema,
  memberIds,
  onlyWanted,
  type RuleSet,
  type RuleStore,
  sourceLinksSchema,
  type Wanted,
} from '../deployments/rule-store.ts';
import { ConfigError, ConflictError } from '../runtime/errors.ts';
import { contentHash } from '../text/content-hash.ts';
import { pack, packed } from './item-packing.ts';
import {
  type Faults,
  parsedItem,
  partsIn,
  type StoredRuleSet,
  unknownForm,
  writeRuleSet,
} from './rule-parts.ts';
import type { Item, Key, Table } from './table.ts';
import { loadReadable } from './unreadable-items.ts';

const CURRENT: Key = { pk: 'RULES', sk: 'CURRENT' };

/** The form of all items in the table. Raise it with a migration when old code cannot read what new code stores. */
const TABLE_FORM = 2;

const pointerSchema = deployedSchema.extend({ form: z.literal(TABLE_FORM) });
const formSchema = z.object({ form: z.number().catch(0) });

/** One item has at most 400 KB, so links are spread over some. They are compressed, as they share most of their letters. */
const LINK_ITEMS = 32;
const linksSchema = z.object({ links: packed(sourceLinksSchema) });

/** Stores rule sets by version. They never change, so each process reads the same rules once, and shares them. */
export function ruleStoreIn(table: Table): RuleStore {
  const parts = partsIn(table);
  let last: { version: string; stored: StoredRuleSet } | undefined;

  async function open(version: string): Promise<StoredRuleSet> {
    if (last?.version !== version) last = { version, stored: await parts.open(version) };
    return last.stored;
  }

  async function read(version: string, wanted?: Wanted): Promise<{ ruleSet: RuleSet; faults: Faults }> {
    const stored = await open(version);
    let found = await stored.read(wanted);
    if (wanted && 'ids' in wanted) {
      const members = memberIds(found.rules.filter(({ id }) => wanted.ids.has(id)));
      if (members.length > 0) found = await stored.read({ ids: new Set([...wanted.ids, ...members]) });
    }
    const { rules, faults } = found;
    // Unreadable rules may be written again under the same version.
    if (faults.size > 0) last = undefined;
    // A composite rule would treat a missing member as one that does not fire.
    const over = rules.filter(({ members }) => members?.ruleIds.some((id) => faults.has(id)));
    const unreadable = [...faults.keys(), ...over.map(({ id }) => id)];
    const readable = { version, rules: rules.filter((rule) => !over.includes(rule)), routes: stored.routes };
    const ruleSet = onlyWanted({ ...readable, ...(wanted && { apps: stored.apps }) }, wanted);
    return { ruleSet: { ...ruleSet, ...(unreadable.length > 0 && { unreadable }) }, faults };
  }

  /** Whether the rule set is stored completely, by this version of the code. */
  async function isWhole(version: string): Promise<boolean> {
    last = undefined;
    const stored = await ifReadable(open(version));
    return stored?.isOwn === true && (await ifReadable(read(version)))?.faults.size === 0;
  }

  return {
    async load(version) {
      const { ruleSet, faults } = await read(version);
      requireAll(faults);
      return ruleSet;
    },

    async loadCurrent(wanted) {
      const pointer = await readPointer(table);
      if (!pointer) return undefined;
      const { ruleSet, faults } = await read(pointer.version, wanted);
      if (!table.unreadable) requireAll(faults);
      for (const fault of new Set(faults.values())) table.unreadable?.(fault);
      return ruleSet;
    },

    findCurrent: () => readPointer(table),

    async save(ruleSet, saving = {}) {
      const { version } = ruleSet;
      const { replacing } = saving;
      const current = (await readPointer(table))?.version;
      const before = replacing === undefined ? current : (replacing ?? undefined);
      // Any other set is written again, because it may be about to expire.
      if (current !== version || !(await isWhole(version))) await writeRuleSet(table, ruleSet);
      last = undefined;
      // Opened while it is current. A set that is written again from now on does not expire.
      const replaced =
        before === undefined || before === version ? undefined : await ifReadable(parts.open(before));
      await makeCurrent(table, deployedBy(version, saving), before);
      await replaced?.expire();
    },

    async loadSourceLink(ruleId) {
      return (await loadReadable(table, linksSchema, linksKey(linkItemOf(ruleId))))?.links[ruleId];
    },

    async saveSourceLinks(links) {
      const byItem = Map.groupBy(Object.entries(links), ([ruleId]) => linkItemOf(ruleId));
      await table.putAll(
        Array.from({ length: LINK_ITEMS }, (_, i) => ({
          ...linksKey(i),
          links: pack(sourceLinksSchema, Object.fromEntries(byItem.get(i) ?? [])),
        })),
      );
    },
  };
}

function linkItemOf(ruleId: string): number {
  return Number.parseInt(contentHash(ruleId).slice(0, 8), 16) % LINK_ITEMS;
}

function linksKey(i: number): Key {
  return { pk: `RULES#LINKS#${i}`, sk: 'LINKS' };
}

/** `undefined` for a rule set that does not exist, or not in a form that this version reads. */
async function ifReadable<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

function requireAll(faults: Faults): void {
  for (const [id, fault] of faults) throw unknownForm(fault, id);
}

async function readPointer(table: Table): Promise<Deployed | undefined> {
  const pointer = await table.get(CURRENT);
  if (!pointer) return undefined;
  requireForm(table, pointer);
  const { form: _, ...deployed } = parsedItem(table, pointerSchema, pointer);
  return deployed;
}

/** Throws `ConfigError` if the items of the table have another form. */
function requireForm(table: Table, pointer: Item): void {
  const { form } = formSchema.parse(pointer);
  if (form === TABLE_FORM) return;
  throw new ConfigError(
    `the table ${table.name} has items of form ${form}, and this version of Deltawatch reads form ${TABLE_FORM}: ` +
      (form < TABLE_FORM
        ? 'delete it, on this machine with ticks.json beside it, and start again'
        : 'use the version that wrote them, or a later one'),
  );
}

/** Throws `ConflictError` if another deployment was first: it must be compared with again. */
async function makeCurrent(table: Table, deployed: Deployed, before: string | undefined): Promise<void> {
  const item = { ...CURRENT, form: TABLE_FORM, ...deployed };
  try {
    if (before === undefined) await table.putNew(item);
    else await table.put(item, { attribute: 'version', equals: before });
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    // Another deployment may have saved the same version, or this write succeeded and only its answer was lost.
    if ((await readPointer(table))?.version !== deployed.version) throw error;
  }
}

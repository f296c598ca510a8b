import * as z from 'zod';
import {
  type Deployed,
  deployedSchema,
  type RuleSet,
  type RuleStore,
  type Saving,
  sourceLinksSchema,
} from '../deployments/rule-store.ts';
import { routesSchema } from '../notifications/routes.ts';
import { entryOf, type Rule, storedRuleSchema } from '../rules/rule.ts';
import { ConfigError, ConflictError, UnreadableItemError } from '../runtime/errors.ts';
import { unchangeable } from '../runtime/unchangeable.ts';
import { pack, packed } from './item-packing.ts';
import type { Item, Key, Table } from './table.ts';
import { loadReadable, parseItem, parseSole } from './unreadable-items.ts';

const CURRENT: Key = { pk: 'RULES', sk: 'CURRENT' };
const SOURCES: Key = { pk: 'RULES', sk: 'SOURCES' };
const MANIFEST = 'MANIFEST';
const RULE_PREFIX = 'RULE#';

/** The form of all items in the table. Raise it with a migration when old code cannot read what new code stores. */
const TABLE_FORM = 2;

const pointerSchema = deployedSchema.extend({ form: z.literal(TABLE_FORM) });
const formSchema = z.object({ form: z.number().catch(0) });
const manifestSchema = z.object({ routes: routesSchema, ruleCount: z.number() });
/** Compressed, because thousands of links share most of their letters and one item has at most 400 KB. */
const sourcesSchema = z.object({ links: packed(sourceLinksSchema) });
const ruleItemSchema = z.object({ rule: storedRuleSchema });

/**
 * Stores rule sets by version: one item per rule, and a manifest that is written last. A version without a manifest
 * does not exist. Rule sets never change, so each process reads a version once and shares it: what is cached for a rule
 * stays valid for all batches.
 */
export function ruleStoreIn(table: Table): RuleStore {
  const known = new Map<string, ReadRuleSet>();

  const read = async (version: string): Promise<ReadRuleSet> => {
    const found = known.get(version) ?? (await readRuleSet(table, version));
    // Unreadable rules may be written again under the same version, so they are not cached.
    if (found.faults.length === 0) known.set(version, found);
    return found;
  };

  return {
    async load(version) {
      const { ruleSet, faults } = await read(version);
      if (faults[0]) throw unknownForm(faults[0]);
      return ruleSet;
    },

    async loadCurrent() {
      const pointer = await readPointer(table);
      if (!pointer) return undefined;
      const { ruleSet, faults } = await read(pointer.version);
      for (const fault of faults) {
        if (!table.unreadable) throw unknownForm(fault);
        table.unreadable(fault);
      }
      return ruleSet;
    },

    findCurrent: () => readPointer(table),

    async save(ruleSet, { replacing, at, by, deployment }: Saving = {}) {
      const before = replacing === undefined ? (await readPointer(table))?.version : replacing;
      if (!(await isWhole(table, ruleSet.version))) await writeRuleSet(table, ruleSet);
      const deployed: Deployed = {
        ...{ version: ruleSet.version, sinceAt: at ?? null, by: by ?? null },
        ...(deployment && { deployment }),
      };
      await makeCurrent(table, deployed, before ?? undefined);
    },

    async loadSourceLinks() {
      return (await loadReadable(table, sourcesSchema, SOURCES))?.links ?? {};
    },

    async saveSourceLinks(links) {
      await table.put({ ...SOURCES, links: pack(sourceLinksSchema, links) });
    },
  };
}

/** A rule set, and its unreadable items. */
interface ReadRuleSet {
  ruleSet: RuleSet;
  faults: UnreadableItemError[];
}

async function readPointer(table: Table): Promise<Deployed | undefined> {
  const pointer = await table.get(CURRENT);
  if (!pointer) return undefined;
  requireForm(table, pointer);
  const { form: _, ...deployed } = parsed(table, pointerSchema, pointer);
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

/** Whether the rule set is stored completely and can be read. */
async function isWhole(table: Table, version: string): Promise<boolean> {
  try {
    return (await readRuleSet(table, version)).faults.length === 0;
  } catch (error) {
    if (error instanceof ConfigError) return false;
    throw error;
  }
}

async function readRuleSet(table: Table, version: string): Promise<ReadRuleSet> {
  const items = await table.query({ partition: manifestKey(version).pk });
  const manifest = items.find((item) => item.sk === MANIFEST);
  if (!manifest) throw new ConfigError(`no rules of version ${version} were deployed`);
  const { routes, ruleCount } = parsed(table, manifestSchema, manifest);
  const ruleItems = items.filter((item) => String(item.sk).startsWith(RULE_PREFIX));
  if (ruleItems.length !== ruleCount)
    throw new ConfigError(
      `version ${version} should have ${ruleCount} rules and has ${ruleItems.length}; deploy them again`,
    );
  const { rules, ...left } = rulesIn(ruleItems);
  const isUnread = (id: string) => left.unreadable.includes(id);
  // A composite rule would treat a missing member as one that does not fire.
  const over = rules.filter(({ members }) => members?.ruleIds.some(isUnread));
  const unreadable = [...left.unreadable, ...over.map(({ id }) => id)];
  const read = rules.filter((rule) => !over.includes(rule));
  const ruleSet = { version, rules: read, routes, ...(unreadable.length > 0 && { unreadable }) };
  return { ruleSet: unchangeable(ruleSet), faults: left.faults };
}

function rulesIn(items: Item[]) {
  const rules: Rule[] = [];
  const faults: UnreadableItemError[] = [];
  const unreadable: string[] = [];
  for (const item of items) {
    try {
      rules.push(parseItem(ruleItemSchema, item).rule);
    } catch (error) {
      if (!(error instanceof UnreadableItemError)) throw error;
      faults.push(error);
      unreadable.push(error.item.sk.replace(/^RULE#\d+#/, ''));
    }
  }
  return { rules, faults, unreadable };
}

/** Unlike a rule, the version and its routes cannot be skipped: without them nothing can be sent. */
function parsed<T>(table: Table, schema: z.ZodType<T>, item: Item): T {
  try {
    return parseSole(table, schema, item);
  } catch (error) {
    throw error instanceof UnreadableItemError ? unknownForm(error) : error;
  }
}

function unknownForm(cause: UnreadableItemError): ConfigError {
  const { pk, sk } = cause.item;
  return new ConfigError(
    `item ${pk} / ${sk} of the table cannot be read: restore the table from a backup, or use the version of Deltawatch that wrote it`,
    { cause },
  );
}

async function writeRuleSet(table: Table, { version, rules, routes }: RuleSet): Promise<void> {
  const { pk } = manifestKey(version);
  const items = rules.map((rule, i) => ({
    pk,
    sk: `${RULE_PREFIX}${position(i)}#${rule.id}`,
    rule: entryOf(rule),
  }));
  await table.putAll(items);
  await table.put({ ...manifestKey(version), routes, ruleCount: rules.length });
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

function manifestKey(version: string): Key {
  return { pk: `RULES#${version}`, sk: MANIFEST };
}

/** Keeps the rules in the order of their files. */
function position(index: number): string {
  return String(index).padStart(6, '0');
}

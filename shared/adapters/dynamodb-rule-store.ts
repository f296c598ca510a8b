import * as z from 'zod';
import type { InForce, RuleSet, RuleStore, Saving } from '../alerting/ports.ts';
import { routesSchema } from '../alerting/routes.ts';
import { entryOf, storedRuleSchema } from '../alerting/rule.ts';
import { ConfigError, ConflictError } from '../runtime/errors.ts';
import {
  getItem,
  type Item,
  type Key,
  parseItem,
  putItem,
  putItems,
  queryItems,
  type Table,
} from './dynamodb-requests.ts';

const CURRENT: Key = { pk: 'RULES', sk: 'CURRENT' };
const MANIFEST = 'MANIFEST';
const RULE_PREFIX = 'RULE#';

// Items of before this was kept say neither since when nor by whom.
const pointerSchema = z.object({
  version: z.string(),
  sinceAt: z.number().nullable().default(null),
  by: z.string().nullable().default(null),
});
const manifestSchema = z.object({ routes: routesSchema, ruleCount: z.number() });
const ruleItemSchema = z.object({ rule: storedRuleSchema });

/**
 * Rule sets as one item a rule under their version, and a manifest that is written last: a version without its
 * manifest does not exist. Rule sets never change, so that each is read once a process.
 */
export function dynamodbRuleStore(table: Table): RuleStore {
  const known = new Map<string, RuleSet>();

  const load = async (version: string): Promise<RuleSet> => {
    const ruleSet = known.get(version) ?? (await readRuleSet(table, version));
    known.set(version, ruleSet);
    return structuredClone(ruleSet);
  };

  return {
    load,

    async loadCurrent() {
      const pointer = await readPointer(table);
      return pointer && load(pointer.version);
    },

    findCurrent: () => readPointer(table),

    async save(ruleSet, { replacing, at, by }: Saving = {}) {
      const before = replacing === undefined ? (await readPointer(table))?.version : replacing;
      if (!(await getItem(table, manifestKey(ruleSet.version)))) await writeRuleSet(table, ruleSet);
      const inForce = { version: ruleSet.version, sinceAt: at ?? null, by: by ?? null };
      await makeCurrent(table, inForce, before ?? undefined);
    },
  };
}

async function readPointer(table: Table): Promise<InForce | undefined> {
  const pointer = await getItem(table, CURRENT);
  return pointer && parseItem(pointerSchema, pointer);
}

async function readRuleSet(table: Table, version: string): Promise<RuleSet> {
  const items = await queryItems(table, {
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': manifestKey(version).pk },
    ConsistentRead: true,
  });
  const manifest = items.find((item) => item.sk === MANIFEST);
  if (!manifest) throw new ConfigError(`no rules of version ${version} were deployed`);
  const { routes, ruleCount } = readItem(manifestSchema, manifest);
  const rules = items
    .filter((item) => String(item.sk).startsWith(RULE_PREFIX))
    .map((item) => readItem(ruleItemSchema, item).rule);
  if (rules.length !== ruleCount)
    throw new ConfigError(
      `version ${version} should have ${ruleCount} rules and has ${rules.length}; deploy them again`,
    );
  return { version, rules, routes };
}

function readItem<T>(schema: z.ZodType<T>, item: Item): T {
  const parsed = schema.safeParse(item);
  if (parsed.success) return parsed.data;
  throw new ConfigError(
    `item ${item.pk} / ${item.sk} says what this version of Deltawatch does not read: a newer one may have put it in force`,
    { cause: parsed.error },
  );
}

async function writeRuleSet(table: Table, { version, rules, routes }: RuleSet): Promise<void> {
  const { pk } = manifestKey(version);
  const items = rules.map(
    (rule, i): Item => ({ pk, sk: `${RULE_PREFIX}${position(i)}#${rule.id}`, rule: entryOf(rule) }),
  );
  await putItems(table, items);
  await putItem(table, { Item: { ...manifestKey(version), routes, ruleCount: rules.length } });
}

/** Throws `ConflictError` if another deployment came between: of two at once, one must look again. */
async function makeCurrent(table: Table, inForce: InForce, before: string | undefined): Promise<void> {
  const written = putItem(table, {
    Item: { ...CURRENT, ...inForce },
    ...(before === undefined
      ? { ConditionExpression: 'attribute_not_exists(pk)' }
      : {
          ConditionExpression: 'version = :before',
          ExpressionAttributeValues: { ':before': before },
        }),
  });
  try {
    await written;
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    // Another may have wished the same, or this very write came through and its answer did not.
    if ((await readPointer(table))?.version !== inForce.version) throw error;
  }
}

function manifestKey(version: string): Key {
  return { pk: `RULES#${version}`, sk: MANIFEST };
}

/** Keeps the rules in the order of their files. */
function position(index: number): string {
  return String(index).padStart(6, '0');
}

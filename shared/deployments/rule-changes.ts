import { meaningOf } from '../readings/series.ts';
import { type FieldChange, fieldChanges } from '../rules/field-changes.ts';
import { entryOf, type Rule } from '../rules/rule.ts';
import { cadenceName } from '../time/cadence.ts';

/** A rule that is in both sets and differs. */
interface ChangedRule {
  before: Rule;
  after: Rule;
  /** The fields that differ, as rule files have them, including defaults. */
  fields: FieldChange[];
  /** Whether the meaning of the rule changed. If so, its alerts start over; otherwise they continue. */
  startsOver: boolean;
}

/** The changes from one set of rules to another, each in the order of its set. */
export interface RuleChanges {
  added: Rule[];
  changed: ChangedRule[];
  removed: Rule[];
  /** The number of equal rules. */
  unchanged: number;
  /** Whether the remaining rules are in another order, which changes the version. */
  isReordered: boolean;
  /** Rules that changed only their id. That creates a new rule, which is rarely intended. */
  renamed: { before: Rule; after: Rule }[];
}

export function ruleChanges(before: Rule[], after: Rule[]): RuleChanges {
  const [old, now] = [byId(before), byId(after)];
  const added = after.filter(({ id }) => !old.has(id));
  const removed = before.filter(({ id }) => !now.has(id));
  const changed = after.flatMap((rule): ChangedRule[] => {
    const was = old.get(rule.id);
    const fields = was ? fieldChanges(entryOf(was), entryOf(rule)) : [];
    if (!was || fields.length === 0) return [];
    return [{ before: was, after: rule, fields, startsOver: meaningOf(was) !== meaningOf(rule) }];
  });
  const unchanged = after.length - added.length - changed.length;
  const idsOf = (rules: Rule[], others: Map<string, Rule>) =>
    rules.flatMap(({ id }) => (others.has(id) ? [id] : []));
  const isReordered = idsOf(before, now).join() !== idsOf(after, old).join();
  return { added, changed, removed, unchanged, isReordered, renamed: renamings(removed, added) };
}

/** Cadences that only one of the sets has. */
export interface CadenceChanges {
  added: Pick<Rule, 'every' | 'zone'>[];
  removed: Pick<Rule, 'every' | 'zone'>[];
}

export function cadenceChanges(before: Rule[], after: Rule[]): CadenceChanges {
  const [old, now] = [byCadence(before), byCadence(after)];
  const onlyIn = (one: Map<string, Rule>, other: Map<string, Rule>) =>
    [...one].flatMap(([name, { every, zone }]) => (other.has(name) ? [] : [{ every, zone }]));
  return { added: onlyIn(now, old), removed: onlyIn(old, now) };
}

function byId(rules: Rule[]): Map<string, Rule> {
  return new Map(rules.map((rule) => [rule.id, rule]));
}

function byCadence(rules: Rule[]): Map<string, Rule> {
  return new Map(rules.map((rule) => [cadenceName(rule.cadence), rule]));
}

function renamings(removed: Rule[], added: Rule[]): RuleChanges['renamed'] {
  return removed.flatMap((before) => {
    const after = added.find((each) => isSameBut(before, each));
    return after ? [{ before, after }] : [];
  });
}

/** A new title with a new id still counts as a renaming. */
function isSameBut(before: Rule, after: Rule): boolean {
  const fields = fieldChanges(entryOf(before), entryOf(after));
  return fields.every(({ field }) => field === 'id' || field === 'title');
}

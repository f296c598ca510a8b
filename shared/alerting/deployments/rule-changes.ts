import { meaningOf } from '../readings/series.ts';
import { type FieldChange, fieldChanges } from '../rules/field-changes.ts';
import { entryOf, type Rule } from '../rules/rule.ts';
import { cadenceName } from '../time/cadence.ts';

/** A rule that is in both sets and differs. */
interface ChangedRule {
  before: Rule;
  after: Rule;
  /** What differs, as people write it, defaults included. */
  fields: FieldChange[];
  /** Whether what it means is another: then its alerts begin anew, and else they go on. */
  startsOver: boolean;
}

/** What became of the rules of one set in another, each in the order of its set. */
export interface RuleChanges {
  added: Rule[];
  changed: ChangedRule[];
  removed: Rule[];
  /** How many are in both and the same. */
  unchanged: number;
  /** Whether rules that stay come in another order, as from other files: that makes another version. */
  isReordered: boolean;
  /** Rules that are new but for their ids: a new id is a new rule, which is rarely what a renaming is to do. */
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

/** Cadences, by a rule each that has it, that only one of the sets has. */
export interface CadenceChanges {
  added: Rule[];
  removed: Rule[];
}

export function cadenceChanges(before: Rule[], after: Rule[]): CadenceChanges {
  const [old, now] = [byCadence(before), byCadence(after)];
  const onlyIn = (one: Map<string, Rule>, other: Map<string, Rule>) =>
    [...one].flatMap(([name, rule]) => (other.has(name) ? [] : [rule]));
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

/** People who rename a rule often reword its title, too. */
function isSameBut(before: Rule, after: Rule): boolean {
  const fields = fieldChanges(entryOf(before), entryOf(after));
  return fields.every(({ field }) => field === 'id' || field === 'title');
}

import { type RuleChanges, ruleChanges } from '../../shared/deployments/rule-changes.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import type { Fire } from './fires.ts';
import type { RuleStatistics, Statistics } from './statistics.ts';

/** An alert of both sets, open for a different time. */
export interface Moved {
  before: Fire;
  after: Fire;
}

/** A rule whose alerts, receivers or meaning change. */
export interface RuleComparison {
  rule: Rule;
  kind: 'added' | 'removed' | 'changed' | 'unchanged';
  /** `null` where the rule set lacks the rule. */
  before: RuleStatistics | null;
  after: RuleStatistics | null;
  appears: Fire[];
  disappears: Fire[];
  moved: Moved[];
}

/** Rates per month. */
interface Rates {
  before: number;
  after: number;
}

/** The messages of one route to one channel. */
interface HeardComparison extends Rates {
  route: string;
  channel: string;
}

/** What a change of the rules adds and removes, on the same figures. */
export interface Comparison {
  changes: RuleChanges;
  /** Most changed first. Rules that mean and notify the same are omitted. */
  rules: RuleComparison[];
  appears: number;
  disappears: number;
  moved: number;
  alertsPerMonth: Rates;
  messagesPerMonth: Rates;
  /** Messages per month by route and channel, where the number changes. */
  heard: HeardComparison[];
}

export function comparisonOf(before: Statistics, after: Statistics): Comparison {
  const [old, now] = [byId(before), byId(after)];
  const rulesOf = ({ rules }: Statistics) =>
    rules.map(({ rule }) => rule).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const changes = ruleChanges(rulesOf(before), rulesOf(after));
  const anew = new Set(changes.changed.filter((each) => each.startsOver).map((each) => each.after.id));
  const compared = [...new Set([...now.keys(), ...old.keys()])].flatMap((id): RuleComparison[] => {
    const [was, is] = [old.get(id) ?? null, now.get(id) ?? null];
    const rule = (is ?? was)?.rule;
    if (!rule) return [];
    const kind = was === null ? 'added' : is === null ? 'removed' : anew.has(id) ? 'changed' : 'unchanged';
    return [{ rule, kind, before: was, after: is, ...fireChanges(was?.fires ?? [], is?.fires ?? []) }];
  });
  const rules = compared.filter(
    (each) => each.kind !== 'unchanged' || touchedBy(each) > 0 || isHeardOtherwise(each),
  );
  const sum = (count: (each: RuleComparison) => number) =>
    rules.reduce((total, each) => total + count(each), 0);
  return {
    changes,
    rules: rules.toSorted((a, b) => touchedBy(b) - touchedBy(a) || (a.rule.id < b.rule.id ? -1 : 1)),
    appears: sum(({ appears }) => appears.length),
    disappears: sum(({ disappears }) => disappears.length),
    moved: sum(({ moved }) => moved.length),
    alertsPerMonth: { before: before.alertsPerMonth, after: after.alertsPerMonth },
    messagesPerMonth: { before: before.messagesPerMonth, after: after.messagesPerMonth },
    heard: heardOf(before, after),
  };
}

/** Messages per month about the rule. */
export function messageRates({ before, after }: RuleComparison): Rates {
  return { before: before?.messagesPerMonth ?? 0, after: after?.messagesPerMonth ?? 0 };
}

function isHeardOtherwise(each: RuleComparison): boolean {
  const { before, after } = messageRates(each);
  return before !== after;
}

function heardOf(before: Statistics, after: Statistics): HeardComparison[] {
  const rates = new Map<string, HeardComparison>();
  for (const [side, { channels }] of Object.entries({ before, after }))
    for (const { route, channel, messagesPerMonth } of channels) {
      const key = JSON.stringify([route, channel]);
      const known = rates.get(key) ?? { route, channel, before: 0, after: 0 };
      rates.set(key, { ...known, [side]: messagesPerMonth });
    }
  return [...rates.values()].filter((each) => each.before !== each.after);
}

type FireChanges = Pick<RuleComparison, 'appears' | 'disappears' | 'moved'>;

/** Alerts of a segment are the same where they overlap. Each matches at most one other. */
export function fireChanges(before: Fire[], after: Fire[]): FireChanges {
  const left = new Set(before);
  const [appears, moved]: [Fire[], Moved[]] = [[], []];
  for (const fire of after) {
    const same = [...left].find((each) => each.segment === fire.segment && meet(each, fire));
    if (same) left.delete(same);
    if (!same) appears.push(fire);
    else if (lastsOtherwise(same, fire)) moved.push({ before: same, after: fire });
  }
  return { appears, disappears: [...left], moved };
}

function meet(a: Fire, b: Fire): boolean {
  return a.onset.startAt < b.openThroughAt && b.onset.startAt < a.openThroughAt;
}

function lastsOtherwise(a: Fire, b: Fire): boolean {
  return a.onset.endAt !== b.onset.endAt || a.throughAt !== b.throughAt || a.hasEnded !== b.hasEnded;
}

function touchedBy({ appears, disappears, moved }: FireChanges): number {
  return appears.length + disappears.length + moved.length;
}

function byId({ rules }: Statistics): Map<string, RuleStatistics> {
  return new Map(rules.map((each) => [each.rule.id, each]));
}

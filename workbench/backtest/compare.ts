import { type RuleChange, ruleChanges } from '../../shared/deployments/rule-changes.ts';
import type { FieldChange } from '../../shared/rules/field-changes.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import type { ReplayReport, RuleReport } from './report.ts';
import type { Fire } from './series-log.ts';

/** An alert of both sets, open for a different time. */
export interface Moved {
  before: Fire;
  after: Fire;
}

interface Rates {
  before: number;
  after: number;
}

/** The alerts of a segment that only one of the sets has, or that last for a different time. */
interface FireChanges {
  appears: Fire[];
  disappears: Fire[];
  moved: Moved[];
}

/** A rule whose alerts, receivers or meaning change. */
export interface RuleComparison extends FireChanges {
  rule: string;
  kind: 'added' | 'removed' | 'changed' | 'unchanged';
  /** The changed fields of a rule that is in both sets. */
  fields: FieldChange[];
  alerts: Rates;
  messagesPerMonth: Rates;
}

interface ChannelRates extends Rates {
  route: string;
  channel: string;
}

interface Replayed {
  rules: Rule[];
  report: ReplayReport;
}

/** What a change of the rules adds and removes, on the same figures. */
export type Comparison = ReturnType<typeof comparisonOf>;

export function comparisonOf(before: Replayed, after: Replayed) {
  const sorted = ({ rules }: Replayed) => rules.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const changes = ruleChanges(sorted(before), sorted(after));
  const idsOf = (change: RuleChange['change'], startsOver = true) =>
    changes
      .filter((each) => each.change === change && each.startsOver === startsOver)
      .map(({ name }) => name);
  const meaning = idsOf('changed');
  const [old, now] = [byId(before.report), byId(after.report)];
  const rules = [...new Set([...now.keys(), ...old.keys()])].map((rule): RuleComparison => {
    const [was, is] = [old.get(rule), now.get(rule)];
    const isChanged = meaning.includes(rule);
    return {
      rule,
      kind: !was ? 'added' : !is ? 'removed' : isChanged ? 'changed' : 'unchanged',
      fields: changes.find(({ name }) => name === rule)?.fields ?? [],
      alerts: { before: was?.alerts ?? 0, after: is?.alerts ?? 0 },
      messagesPerMonth: { before: was?.messagesPerMonth ?? 0, after: is?.messagesPerMonth ?? 0 },
      ...fireChanges(was?.fires ?? [], is?.fires ?? []),
    };
  });
  const differing = rules.filter(
    (each) =>
      each.kind !== 'unchanged' ||
      touchedBy(each) > 0 ||
      each.messagesPerMonth.before !== each.messagesPerMonth.after,
  );
  return {
    // Ids of rules.
    added: idsOf('added'),
    removed: idsOf('removed'),
    changed: meaning,
    /** Changed, but not in meaning. */
    cosmetic: idsOf('changed', false),
    /** Most changed first. Rules that mean and notify the same are omitted. */
    rules: differing.toSorted((a, b) => touchedBy(b) - touchedBy(a) || (a.rule < b.rule ? -1 : 1)),
    alertsPerMonth: { before: before.report.alertsPerMonth, after: after.report.alertsPerMonth },
    messagesPerMonth: { before: before.report.messagesPerMonth, after: after.report.messagesPerMonth },
    /** Messages per month by route and channel, where the number changes. */
    channels: channelsOf(before.report, after.report),
  };
}

function channelsOf(before: ReplayReport, after: ReplayReport): ChannelRates[] {
  const rates = new Map<string, ChannelRates>();
  for (const [side, { channels }] of Object.entries({ before, after }))
    for (const { route, channel, messagesPerMonth } of channels) {
      const key = JSON.stringify([route, channel]);
      const known = rates.get(key) ?? { route, channel, before: 0, after: 0 };
      rates.set(key, { ...known, [side]: messagesPerMonth });
    }
  return [...rates.values()].filter((each) => each.before !== each.after);
}

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

function byId({ rules }: ReplayReport): Map<string, RuleReport> {
  return new Map(rules.map((each) => [each.rule, each]));
}

import {
  type BoundsInstead,
  insteadText,
  isAbout,
  type Override,
  overrideAt,
  overrideFault,
  overrideWords,
} from '../shared/alerting/overrides.ts';
import type { OverrideStore, RuleSet, RuleStore } from '../shared/alerting/ports.ts';
import type { Rule } from '../shared/alerting/rule.ts';
import { meaningOf } from '../shared/alerting/series.ts';
import { momentText } from '../shared/alerting/wording.ts';
import { ConfigError } from '../shared/runtime/errors.ts';
import type { Installation } from './installation.ts';
import { inForceOf, ruleCalled, rulesInForce } from './rule-in-force.ts';

interface Kept {
  rules: RuleStore;
  overrides: OverrideStore;
}

/** What is spoken to, and how people call it. */
type Installed = Pick<Installation, 'description'> & { stores: Kept };

export interface OverrideRequest {
  ruleId: string;
  instead: BoundsInstead;
  /** The moment of speaking: it holds from the first run that is scheduled no earlier. */
  at: number;
  untilAt: number;
  by: string;
  reason: string;
}

/** What was done, in words and as it is printed with `--json`. */
interface Done {
  words: string;
  report: OverrideReport;
}

/**
 * Overrides the bounds of a rule. Throws `InvalidRequestError` where there is no such rule, and `ConfigError` where they
 * cannot be overridden so.
 */
export async function overrideRule(
  { ruleId, ...said }: OverrideRequest,
  { stores: kept, description }: Installed,
): Promise<Done> {
  const ruleSet = await rulesInForce(kept.rules);
  const rule = ruleCalled(ruleId, ruleSet, inForceOf({ description }));
  const fault = overrideFault(rule, said.instead, said);
  if (fault !== undefined || rule.members) throw new ConfigError(fault ?? `${ruleId} has no bounds`);
  const given = await kept.overrides.loadAll();
  const before = overrideAt(rule, given, said.at);
  const override: Override = { ruleId, meaning: meaningOf(rule), ...said };
  await kept.overrides.save(override);
  const displaced = before ? `, in the place of what ${before.by} had said` : '';
  return {
    words: `${ruleId}: bounds ${overrideWords(override, rule)}${displaced}`,
    report: overrideReport(override, [...given, override], ruleSet, said.at),
  };
}

/** Ends what is in force of a rule. Throws `ConfigError` where nothing is. */
export async function endOverride(
  ruleId: string,
  at: number,
  { stores: kept, description }: Installed,
): Promise<Done> {
  const ruleSet = await rulesInForce(kept.rules);
  const rule = ruleCalled(ruleId, ruleSet, inForceOf({ description }));
  const given = await kept.overrides.loadAll();
  const override = overrideAt(rule, given, at);
  if (!override) throw new ConfigError(`the bounds of ${ruleId} are its own: there is nothing to end`);
  const ended = { ...override, untilAt: at };
  await kept.overrides.save(ended);
  const until = momentText(override.untilAt, rule.zone);
  return {
    words: `${ruleId}: its own bounds hold for the next run; those of ${override.by} would have held until ${until}`,
    report: overrideReport(ended, given, ruleSet, at),
  };
}

/** One override as it is printed with `--json`; times are ISO 8601 in UTC. */
export interface OverrideReport {
  rule: string;
  /** `displaced`: by a newer one; `outdated`: the rule was removed, or has come to mean something else. */
  state: 'in force' | 'over' | 'displaced' | 'outdated';
  instead: BoundsInstead;
  /** The bounds in words; with those of the rule beside them while it is about the rule as it is. */
  bounds: string;
  at: string;
  until: string;
  by: string;
  reason: string;
}

/** What is in force, the first to end first; with `all`, then what was in the last 30 days, the last to end first. */
export async function listOverrides(
  { rules, overrides }: Kept,
  { now, all = false }: { now: number; all?: boolean },
): Promise<OverrideReport[]> {
  const [ruleSet, given] = await Promise.all([rulesInForce(rules), overrides.loadAll()]);
  const reports = given
    .toSorted((a, b) => b.untilAt - a.untilAt)
    .map((override) => overrideReport(override, given, ruleSet, now));
  const inForce = reports.filter(({ state }) => state === 'in force').reverse();
  return all ? [...inForce, ...reports.filter(({ state }) => state !== 'in force')] : inForce;
}

export function overrideReport(
  override: Override,
  given: Override[],
  { rules }: Pick<RuleSet, 'rules'>,
  now: number,
): OverrideReport {
  const { ruleId, instead, at, untilAt, by, reason } = override;
  const rule = rules.find(({ id }) => id === ruleId);
  return {
    rule: ruleId,
    state: stateOf(override, given, rule, now),
    instead,
    bounds: boundsOf(override, rule),
    at: new Date(at).toISOString(),
    until: new Date(untilAt).toISOString(),
    ...{ by, reason },
  };
}

function stateOf(override: Override, given: Override[], rule: Rule | undefined, now: number) {
  if (override.untilAt <= now) return 'over';
  if (!rule || !isAbout(override, rule)) return 'outdated';
  return overrideAt(rule, given, now)?.at === override.at ? 'in force' : 'displaced';
}

function boundsOf(override: Override, rule: Rule | undefined): string {
  if (!rule || rule.members || !isAbout(override, rule)) return JSON.stringify(override.instead);
  return insteadText(override.instead, rule);
}

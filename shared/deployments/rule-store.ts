import * as z from 'zod';
import { type WatchedApp, watchedApps } from '../alerts/app-alert.ts';
import { type Routes, routesSchema } from '../notifications/routes.ts';
import { builtRuleSchema, type Rule } from '../rules/rule.ts';
import { cadenceName } from '../time/cadence.ts';

/** Rules and routes that are deployed together. Immutable for its version. */
export interface RuleSet {
  version: string;
  rules: Rule[];
  routes: Routes;
  /** Ids of rules that cannot be read, and of rules over them. They are missing in `rules`, but not removed. */
  unreadable?: string[];
  /** Those of all rules, where `rules` are only some of them. */
  apps?: WatchedApp[];
  /** Not part of the version, and not of a loaded set. Without it, deploying the set keeps the links of the one before. */
  sourceLinks?: SourceLinks | undefined;
}

/** Pages link to these, so no other protocol is accepted. */
export const sourceLinksSchema = z.record(z.string(), z.url({ protocol: /^https?$/ }));
/** The URLs at which people read the lines of rules, by the ids of the rules. */
export type SourceLinks = z.infer<typeof sourceLinksSchema>;

/** The rules that a run needs: those of a cadence (its name), of an app, or with these ids and their members. */
export type Wanted = { cadence: string } | { app: string } | { ids: ReadonlySet<string> };

/** For the routes and the apps alone. */
export const NO_RULES: Wanted = { ids: new Set() };

/** Only the wanted rules, with the apps of all rules. */
export function onlyWanted(ruleSet: RuleSet, wanted: Wanted | undefined): RuleSet {
  if (!wanted) return ruleSet;
  const asked = ruleSet.rules.filter((rule) => isWanted(rule, wanted));
  const ids = new Set([...asked.map(({ id }) => id), ...('ids' in wanted ? memberIds(asked) : [])]);
  return { ...ruleSet, rules: ruleSet.rules.filter(({ id }) => ids.has(id)), apps: appsIn(ruleSet) };
}

function isWanted({ id, app, cadence }: Rule, wanted: Wanted): boolean {
  if ('cadence' in wanted) return cadenceName(cadence) === wanted.cadence;
  return 'app' in wanted ? app === wanted.app : wanted.ids.has(id);
}

export function memberIds(rules: Rule[]): string[] {
  return rules.flatMap(({ members }) => members?.ruleIds ?? []);
}

export function appsIn({ apps, rules }: Pick<RuleSet, 'apps' | 'rules'>): WatchedApp[] {
  return apps ?? watchedApps(rules);
}

export interface RuleStore {
  /**
   * The deployed rule set, or only its wanted rules; `undefined` before the first deployment. Those that cannot be read
   * are in `unreadable`. Throws `ConfigError` if its routes cannot be read.
   */
  loadCurrent(wanted?: Wanted): Promise<RuleSet | undefined>;
  /** A rule set by its version. Throws `ConfigError` if it does not exist or cannot be read. */
  load(version: string): Promise<RuleSet>;
  /** The version that is deployed, without its rules. */
  findCurrent(): Promise<Deployed | undefined>;
  /**
   * Writes the whole set, then makes it current atomically. The set that was current is kept for 30 days. Throws
   * `ConflictError` if another set became current meanwhile, or if the current one is not `replacing`. Does nothing if
   * this set is already current.
   */
  save(ruleSet: RuleSet, saving?: Saving): Promise<void>;
  /** The link of a rule among those that were saved last. */
  loadSourceLink(ruleId: string): Promise<string | undefined>;
  /** Replaces all links. They may be about other rules than those of the current set. */
  saveSourceLinks(links: SourceLinks): Promise<void>;
}

const stackDeploymentSchema = z.object({
  /** The function that activated its rules. Later deployments have higher versions of it. */
  functionName: z.string(),
  functionVersion: z.number(),
  /** The rules that it brought. */
  ruleVersion: z.string(),
  /** The rules that it replaced, until others are applied: a rollback restores them. */
  replaced: z.object({ version: z.string(), by: z.string().nullable() }).nullable(),
});
/** A deployment of the stack, which brings rules. */
export type StackDeployment = z.infer<typeof stackDeploymentSchema>;

export const deployedSchema = z.object({
  version: z.string(),
  sinceAt: z.number().nullable(),
  /** Also `null` if the set came with a deployment of the stack. */
  by: z.string().nullable(),
  /** Since when the routes have this digest; by default since `sinceAt`. */
  digestSinceAt: z.number().optional(),
  /** The last deployment of the stack, if there was one. */
  deployment: stackDeploymentSchema.optional(),
});
/** The deployed version, and when and by whom it was deployed. */
export type Deployed = z.infer<typeof deployedSchema>;

export interface Saving {
  /** The version that must be current; `null`: none. By default any. */
  replacing?: string | null;
  at?: number | null;
  by?: string | null;
  digestSinceAt?: number | undefined;
  deployment?: StackDeployment | undefined;
}

export const deployedBy = (
  version: string,
  { at = null, by = null, digestSinceAt, deployment }: Saving,
): Deployed => ({
  ...{ version, sinceAt: at, by },
  ...(digestSinceAt !== undefined && { digestSinceAt }),
  ...(deployment && { deployment }),
});

/** A rule set as JSON for a deployment by the same version of the code. */
export const packedRuleSetSchema = z.object({
  version: z.string(),
  rules: z.array(builtRuleSchema),
  routes: routesSchema,
  sourceLinks: sourceLinksSchema.optional(),
});

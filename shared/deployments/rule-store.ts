import * as z from 'zod';
import { type Routes, routesSchema } from '../notifications/routes.ts';
import { entryOf, type Rule, storedRuleSchema } from '../rules/rule.ts';

/** Rules and routes that are deployed together. Immutable for its version. */
export interface RuleSet {
  version: string;
  rules: Rule[];
  routes: Routes;
  /** Ids of rules that cannot be read, and of rules over them. They are missing in `rules`, but not removed. */
  unreadable?: string[];
  /** Not part of the version, and not of a loaded set. Without it, deploying the set keeps the links of the one before. */
  sourceLinks?: SourceLinks | undefined;
}

/** Pages link to these, so no other protocol is accepted. */
export const sourceLinksSchema = z.record(z.string(), z.url({ protocol: /^https?$/ }));
/** The URLs at which people read the lines of rules, by the ids of the rules. */
export type SourceLinks = z.infer<typeof sourceLinksSchema>;

export interface RuleStore {
  /**
   * The deployed rule set; `undefined` before the first deployment. Rules that cannot be read are in `unreadable`.
   * Throws `ConfigError` if its routes cannot be read.
   */
  loadCurrent(): Promise<RuleSet | undefined>;
  /** A rule set by its version. Throws `ConfigError` if it does not exist or cannot be read. */
  load(version: string): Promise<RuleSet>;
  /** The version that is deployed, without its rules. */
  findCurrent(): Promise<Deployed | undefined>;
  /**
   * Writes the whole set, then makes it current atomically. Throws `ConflictError` if another set became current
   * meanwhile, or if the current one is not `replacing`. Does nothing if this set is already current.
   */
  save(ruleSet: RuleSet, saving?: Saving): Promise<void>;
  /** The links that were saved last, by rule; empty if there are none. They may have other rules than the current set. */
  loadSourceLinks(): Promise<SourceLinks>;
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
  deployment?: StackDeployment | undefined;
}

/** A rule set as JSON for a deployment. `packedRuleSetSchema` parses it. */
export function packedRuleSet({ version, rules, routes, sourceLinks }: RuleSet) {
  return { version, rules: rules.map(entryOf), routes, sourceLinks };
}

export const packedRuleSetSchema = z.object({
  version: z.string(),
  rules: z.array(storedRuleSchema),
  routes: routesSchema,
  sourceLinks: sourceLinksSchema.optional(),
});

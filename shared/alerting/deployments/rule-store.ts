import type { Routes } from '../notifications/routes.ts';
import type { Rule } from '../rules/rule.ts';

/** Rules and routes as they were deployed together. Immutable under its version. */
export interface RuleSet {
  version: string;
  rules: Rule[];
  routes: Routes;
  /** Ids of rules of it that cannot be read, and of those over them: they are left out of `rules`, but not removed. */
  unreadable?: string[];
}

export interface RuleStore {
  /**
   * The rule set in force; `undefined` before the first deployment. Rules that cannot be read are left out and named.
   * Throws `ConfigError` where its routes cannot be read.
   */
  loadCurrent(): Promise<RuleSet | undefined>;
  /** A rule set by its version. Throws `ConfigError` where there is none, or it cannot be read. */
  load(version: string): Promise<RuleSet>;
  /** Which one is in force, without reading it. */
  findCurrent(): Promise<Deployed | undefined>;
  /**
   * Writes the whole set, then makes it the current one in one step; a set half written is never current. Throws
   * `ConflictError` where another was made current meanwhile, or is another than it is to replace. Where this very set is
   * current by then, nothing is left to do.
   */
  save(ruleSet: RuleSet, saving?: Saving): Promise<void>;
}

/** The rule set in force, since when and by whom; `null` of one that was put in force before that was kept. */
export interface Deployed {
  version: string;
  sinceAt: number | null;
  /** `null` of one that came with a deployment, too. */
  by: string | null;
}

export interface Saving {
  /** The version that must be in force for this to take place; `null`: none. Any, where it is left out. */
  replacing?: string | null;
  at?: number;
  by?: string;
}

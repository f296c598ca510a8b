import * as z from 'zod';
import { routesSchema } from '../notifications/routes.ts';
import { entryOf, storedRuleSchema } from '../rules/rule.ts';
import type { RuleSet } from './rule-store.ts';
import { sourceLinksSchema } from './rule-store.ts';

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

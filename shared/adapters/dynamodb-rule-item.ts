import * as z from 'zod';
import type { Cadence } from '../alerting/cadence.ts';
import { type Bounds, type Rule, ruleSetEntrySchema } from '../alerting/rule.ts';
import { GRAINS } from '../alerting/window.ts';
import type { SchemaOf } from './schema-of.ts';

const values = z.array(z.number()).optional();
const cadenceSchema = z.object({
  minutes: values,
  hours: values,
  days: values,
  months: values,
  weekdays: values,
  zone: z.string(),
}) satisfies SchemaOf<Cadence>;

const sides = z.object({ above: z.number().optional(), below: z.number().optional() }).optional();
const boundsSchema = z.object({
  change: sides,
  difference: sides,
  current: sides,
}) satisfies SchemaOf<Bounds>;

const ofWindows = z.object({ hits: z.number(), windows: z.number() });

/** A rule as it is stored: the entry that people write, but for what parsing turned from words into values. */
export const storedRuleSchema = z.object({
  ...ruleSetEntrySchema.shape,
  cadence: cadenceSchema,
  window: z.enum(GRAINS),
  settle: z.number(),
  fire: boundsSchema,
  recover: boundsSchema.optional(),
  fire_after: ofWindows,
  recover_after: ofWindows,
}) satisfies SchemaOf<Rule>;

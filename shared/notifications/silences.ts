import * as z from 'zod';
import { type AlertKey, saidSchema } from '../alerts/alert.ts';
import { appOf } from '../alerts/app-alert.ts';
import type { Rule } from '../rules/rule.ts';

/** A text in which `*` matches any text; or several, one of which must match. */
const patternSchema = z.union([z.string(), z.array(z.string())]);
type Pattern = z.infer<typeof patternSchema>;

/** An exact text: a segment may contain `*` or leading blanks, or be empty. */
const exactlySchema = z.object({ is: z.string() });
export type Exactly = z.infer<typeof exactlySchema>;

const matchSchema = z.object({
  app: patternSchema.optional(),
  rule: patternSchema.optional(),
  owner: patternSchema.optional(),
  severity: patternSchema.optional(),
  segment: z.union([patternSchema, exactlySchema]).optional(),
});
/** The condition of a route or a silence: all given keys must match. */
export type Match = z.infer<typeof matchSchema>;

/** The values to match; `null` for a missing value, which no pattern matches. */
export type Matched = Record<keyof Match, string | null>;

export const silenceSchema = saidSchema.extend({
  id: z.string(),
  match: matchSchema,
  fromAt: z.number(),
  untilAt: z.number(),
});
/** No matching notification is sent in `[fromAt, untilAt)`; evaluation continues. */
export type Silence = z.infer<typeof silenceSchema>;

export function matches(match: Match, subject: Matched): boolean {
  const keys = ['app', 'rule', 'owner', 'severity', 'segment'] as const;
  return keys.every((key) => {
    const pattern = match[key];
    return pattern === undefined || fits(pattern, subject[key]);
  });
}

/** The values of an alert to match; for a removed rule only its id is known. */
export function matchedOf({ alert, rule }: { alert: AlertKey; rule: Rule | undefined }): Matched {
  const app = appOf(alert);
  return {
    app: app ?? rule?.app ?? null,
    rule: alert.ruleId,
    owner: rule?.owner ?? null,
    severity: app === undefined ? (rule?.severity ?? null) : 'critical',
    segment: alert.segment,
  };
}

function fits(pattern: Pattern | Exactly, text: string | null): boolean {
  if (text === null) return false;
  if (typeof pattern === 'string') return isLike(text, pattern);
  return 'is' in pattern ? text === pattern.is : pattern.some((each) => isLike(text, each));
}

/** Searches the parts between `*` one after another, so the time is linear in the text. */
function isLike(text: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, from);
    if (found < 0) return false;
    from = found + part.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}

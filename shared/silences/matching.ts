import * as z from 'zod';
import type { AlertKey } from '../alerts/alert.ts';
import { appOf } from '../alerts/app-alert.ts';
import type { Rule } from '../rules/rule.ts';

/** A text in which `*` matches any text; or several, one of which must match. */
const patternSchema = z.union([z.string(), z.array(z.string())]);

/** An exact text: a segment may contain `*` or leading blanks, or be empty. */
const exactlySchema = z.object({ is: z.string() });

/** The condition of a route or a silence: all given keys must match. */
export const matchSchema = z.object({
  app: patternSchema.optional(),
  rule: patternSchema.optional(),
  owner: patternSchema.optional(),
  severity: patternSchema.optional(),
  segment: z.union([patternSchema, exactlySchema]).optional(),
});
export type Match = z.infer<typeof matchSchema>;
type Pattern = z.infer<typeof patternSchema>;
export type Exactly = z.infer<typeof exactlySchema>;

export const MATCH_KEYS = matchSchema.keyof().options;

/** The values to match; `null` for a missing value, which no pattern matches. */
export type Matched = Record<keyof Match, string | null>;

export function matches(match: Match, subject: Matched): boolean {
  return MATCH_KEYS.every((key) => {
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

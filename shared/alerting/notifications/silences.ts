import type { AlertKey, Said } from '../alerts/alert.ts';
import { appOf } from '../alerts/app-alert.ts';
import type { Rule } from '../rules/rule.ts';

/** A text to be equal to, in which `*` stands for any text; or several, of which one must fit. */
type Pattern = string | string[];

/** A text to be equal to as it stands: a segment may hold `*`, blanks at its ends, or nothing. */
export interface Exactly {
  is: string;
}

/** What a route or a silence is about: each that is given must match. */
export interface Match {
  app?: Pattern | undefined;
  rule?: Pattern | undefined;
  owner?: Pattern | undefined;
  severity?: Pattern | undefined;
  segment?: Pattern | Exactly | undefined;
}

/** What is matched; `null` where it has none, which matches no pattern. */
export type Matched = Record<keyof Match, string | null>;

/** Nothing that matches is told in `[fromAt, untilAt)`; judgement goes on. */
export interface Silence extends Said {
  id: string;
  match: Match;
  fromAt: number;
  untilAt: number;
}

export function matches(match: Match, subject: Matched): boolean {
  const keys = ['app', 'rule', 'owner', 'severity', 'segment'] as const;
  return keys.every((key) => {
    const pattern = match[key];
    return pattern === undefined || fits(pattern, subject[key]);
  });
}

/** What an alert that owes something is matched by; of a rule that was removed, no more than its id is known. */
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

/** Each part between two `*` is looked for after the one before it: no text takes longer than its length. */
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

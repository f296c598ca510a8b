import type { Said } from './alert.ts';
import { appOf } from './app-alert.ts';
import type { Owed } from './message.ts';

/** A text to be equal to, in which `*` stands for any text; or several, of which one must fit. */
type Pattern = string | string[];

/** What a route or a silence is about: each that is given must match. */
export interface Match {
  app?: Pattern | undefined;
  rule?: Pattern | undefined;
  owner?: Pattern | undefined;
  severity?: Pattern | undefined;
  segment?: Pattern | undefined;
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
export function matchedOf({ alert, rule }: Pick<Owed, 'alert' | 'rule'>): Matched {
  const app = appOf(alert);
  return {
    app: app ?? rule?.app ?? null,
    rule: alert.ruleId,
    owner: rule?.owner ?? null,
    severity: app === undefined ? (rule?.severity ?? null) : 'critical',
    segment: alert.segment,
  };
}

function fits(pattern: Pattern, text: string | null): boolean {
  if (text === null) return false;
  return typeof pattern === 'string' ? isLike(text, pattern) : pattern.some((each) => isLike(text, each));
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

import type { RuleSet } from '../deployments/rule-store.ts';

/** `error`: the rule cannot work. `warning`: the rule is probably wrong. `note`: a possible improvement. */
export type FindingSeverity = 'error' | 'warning' | 'note';

/** Every code with its severity. docs/reference/lint.md describes each. The meaning of a code never changes. */
export const CODES = {
  'bounds-always': 'error',
  'bounds-never': 'error',
  'bounds-of-share': 'note',
  'bounds-unchanged': 'error',
  'recover-at-fire': 'warning',
  'recover-out-of-reach': 'error',
  'weekly-shape': 'note',
  'minimum-missing': 'note',
  'evaluated-late': 'warning',
  'window-shorter-than-settle': 'warning',
  'runbook-missing': 'warning',
  'route-idle': 'warning',
  'stop-muted': 'warning',
  'critical-muted': 'warning',
  'runs-outside-active': 'note',
  'channel-idle': 'warning',
  'calls-over-budget': 'error',
  'calls-at-once': 'warning',
  'ignore-wrong': 'warning',
  'live-unread': 'error',
  'live-matches-nothing': 'warning',
  'bytes-over-budget': 'warning',
} as const satisfies Record<string, FindingSeverity>;

export type Code = keyof typeof CODES;

export type Path = (string | number)[];

/** A valid part of one rule that is probably a mistake. `message` says why and what would be right. */
export interface Remark {
  code: Code;
  path: Path;
  message: string;
}

/** A remark about one rule or about the routes. */
export type Finding = Remark & ({ of: 'rule'; ruleId: string } | { of: 'routes' });

export interface Subject extends Pick<RuleSet, 'rules' | 'routes'> {
  now: number;
  /** The calls per hour that the service allows for each app. */
  perHour: number;
}

export function aboutRule(ruleId: string, remarks: Remark[]): Finding[] {
  return remarks.map((remark) => ({ of: 'rule', ruleId, ...remark }));
}

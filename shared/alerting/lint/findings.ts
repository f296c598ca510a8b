import type { RuleSet } from '../deployments/rule-store.ts';

/** `error`: it cannot do what it is for. `warning`: it hardly does what was meant. `note`: worth a look. */
export type FindingSeverity = 'error' | 'warning' | 'note';

/** Every code with its severity, as docs/reference/lint.md tells of each; a code keeps its meaning for good. */
export const CODES = {
  'bounds-always': 'error',
  'bounds-half-idle': 'warning',
  'bounds-never': 'error',
  'bounds-of-share': 'note',
  'bounds-unchanged': 'warning',
  'recover-at-fire': 'warning',
  'recover-out-of-reach': 'warning',
  'weekly-shape': 'note',
  'minimum-missing': 'note',
  'key-idle': 'note',
  'clock-repeated': 'note',
  'judged-late': 'warning',
  'window-shorter-than-settle': 'warning',
  'restate-idle': 'warning',
  'every-too-often': 'note',
  'every-too-seldom': 'note',
  'fire-after-long': 'warning',
  'holidays-past': 'warning',
  'holidays-without-place': 'note',
  'segments-endless': 'warning',
  'segments-one': 'warning',
  'filters-exclude-all': 'error',
  'owner-nobody': 'warning',
  'owner-misspelt': 'warning',
  'runbook-missing': 'warning',
  'critical-quiet': 'warning',
  'quiet-unused': 'warning',
  'rule-twice': 'warning',
  'rule-implied': 'note',
  'title-twice': 'note',
  'told-twice': 'note',
  'route-idle': 'warning',
  'route-mute': 'note',
  'stop-muted': 'warning',
  'channel-idle': 'warning',
  'channel-twice': 'warning',
  'calls-over-budget': 'error',
  'calls-at-once': 'warning',
  'ignore-wrong': 'warning',
  'ignore-idle': 'warning',
  'live-unread': 'error',
  'live-matches-nothing': 'warning',
  'live-event-unseen': 'warning',
  'live-value-unseen': 'warning',
  'live-few-figures': 'warning',
  'live-many-segments': 'note',
} as const satisfies Record<string, FindingSeverity>;

export type Code = keyof typeof CODES;

/** Whether the code is found by asking the service alone. */
export function isLive(code: Code): boolean {
  return code.startsWith('live-');
}

export type Path = (string | number)[];

/** What is right by the letter of one rule and probably not meant: where in the rule, and what would be right. */
export interface Remark {
  code: Code;
  path: Path;
  message: string;
}

/** A remark with the rule that it is about, or of the routes. */
export type Finding = Remark & ({ of: 'rule'; ruleId: string } | { of: 'routes' });

/** What is looked at. */
export interface Subject extends Pick<RuleSet, 'rules' | 'routes'> {
  /** The keys that a rule has of its own, without those of its file's defaults. */
  keysOf: (ruleId: string) => ReadonlySet<string>;
  now: number;
  /** Calls an hour that the service allows for each app. */
  perHour: number;
}

export function aboutRule(ruleId: string, remarks: Remark[]): Finding[] {
  return remarks.map((remark) => ({ of: 'rule', ruleId, ...remark }));
}

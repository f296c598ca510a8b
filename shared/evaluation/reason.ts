import type { Grain } from '../time/window.ts';

/**
 * The reason of a change or a notification; `reason-text.ts` has the text. Text from people and services is stored
 * unchanged.
 */
export type Reason =
  | EvaluationReason
  | { code: 'recovered'; beforeAt: number }
  | { code: 'segment-gone' | 'segment-unlisted' | 'above-zero' }
  | { code: 'level-lasted'; windows: number }
  | { code: 'flapping'; changes: number; windows: number; quietFor: number }
  | { code: 'flapping-ended'; isFiring: boolean; windows: number }
  | { code: 'fires-for-longer' | 'over-while-flapping' }
  | { code: 'no-data'; windows: number; sinceAt: number }
  | { code: 'data-back' }
  | { code: 'rule-changed'; was: 'firing' | 'flapping' }
  | { code: 'rule-removed' }
  | AppReason
  | MatchReason
  | AnswerReason
  | { code: 'evaluated-again' }
  | HealthReason;

/** The reason of the evaluation itself; `not-confirmed`: of a later reading of the same window. */
type EvaluationReason = { code: 'evaluation' | 'not-confirmed' };

/** `newestDataAt` is `null` if all that is known is that there is none since `overdueBeforeAt`. */
type AppReason =
  | { code: 'app-stopped'; app: string; newestDataAt: number | null; overdueBeforeAt: number }
  | { code: 'app-resumed'; app: string; newestDataAt: number }
  | { code: 'app-without-rules'; app: string };

/** Why a new rule matches nothing. */
export type MatchReason =
  | { code: 'never-a-value'; windows: number; grain: Grain }
  | { code: 'never-a-segment'; windows: number; grain: Grain; attribute: string }
  | { code: 'app-never-sent'; app: string; days: number };

/** An answer; `note` may be empty, `untilAt` is `null` for "until it recovers". */
type AnswerReason =
  | { code: 'acknowledged' | 'level-accepted' | 'marked-as-holiday'; by: string; note: string }
  | { code: 'snoozed'; by: string; note: string; untilAt: number | null };

/** Why a rule cannot be evaluated; `error` is the message of the service or the store. */
export type HealthReason =
  | { code: 'app-sent-nothing' }
  | { code: 'data-late'; neededAt: number; newestDataAt: number }
  | { code: 'read-failed'; error: string }
  | { code: 'calls-spent'; error: string }
  | { code: 'out-of-time' }
  | { code: 'alert-unsaved'; error: string }
  | { code: 'alert-unreadable'; error: string; others: number };

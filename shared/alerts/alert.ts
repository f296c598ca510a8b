import * as z from 'zod';
import { driversSchema } from '../evaluation/drivers.ts';
import { evaluationSchema, VERDICTS } from '../evaluation/evaluation.ts';
import { firedSchema } from '../evaluation/fired.ts';
import { healthReasonSchema, type Reason, reasonSchema } from '../evaluation/reason.ts';
import { readingSchema } from '../readings/reading.ts';
import { windowSchema } from '../time/window.ts';
import { unmatchedSchema } from './matches-nothing.ts';
import { TRANSITION_NAMES, type Transition } from './transitions.ts';

export const alertKeySchema = z.object({ ruleId: z.string(), segment: z.string().nullable() });
/** Identifies an alert: a rule and a value of its `group_by`; `null` for the rule as a whole. */
export type AlertKey = z.infer<typeof alertKeySchema>;

/** Most severe first. */
export const ALERT_STATES = ['firing', 'recovering', 'pending', 'normal'] as const;
export type AlertState = (typeof ALERT_STATES)[number];

/** Whether the alert fired and has not recovered. */
export function isOpen(state: AlertState): boolean {
  return state === 'firing' || state === 'recovering';
}

const streak = {
  /** The scheduled times of the first and last run of the streak. */
  since: z.number(),
  through: z.number(),
  reason: healthReasonSchema,
  /** More than a first failure was sent, so the end will be sent too. */
  notified: z.boolean(),
};
const healthSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ok') }),
  z.object({ kind: z.literal('inconclusive'), ...streak, wants: z.enum(['data', 'calls']) }),
  z.object({ kind: z.enum(['failing', 'broken']), ...streak, streak: z.number() }),
]);
/** Whether the rule can be evaluated; stored on the alert of the rule as a whole. */
export type Health = z.infer<typeof healthSchema>;

const transitionSchema = z.enum(TRANSITION_NAMES);

/** One transition to notify, with its reason. */
export interface News {
  transition: Transition;
  reason: Reason;
}

const notificationSchema = z.lazy(() =>
  z.object({
    transition: transitionSchema,
    channel: z.string(),
    route: z.string(),
    /** The run that found it. */
    tick: z.string(),
    /** End of the window that caused it. */
    windowEndAt: z.number(),
    /** The scheduled time of that run. */
    since: z.number(),
    reason: reasonSchema,
    /** `null` for transitions of health. */
    evaluation: evaluationSchema.nullable(),
    /** Drivers of the fire; `null` if unknown. */
    drivers: driversSchema.nullable(),
    /** End of the window on which the alert fired; on a recovery it identifies the fire that ended. */
    firedWindowEndAt: z.number().nullable(),
    /** The first reading of the window, if the evaluation uses a later one. */
    firstRead: readingSchema.nullable(),
    /** When to send it: after `since` once an attempt failed. While it is being sent, when another sender may retry. */
    dueAt: z.number(),
    /** Attempts that may have been delivered; 0: certainly not delivered. */
    attempts: z.number(),
    /** For a fire and its retraction: the revision of the alert, as one window can fire twice. */
    revision: z.number().optional(),
    /** For a reminder: its number, from 1. */
    reminder: z.number().optional(),
    /** For an escalation: the minutes without an answer after which it is sent. */
    escalatedAfterMinutes: z.number().optional(),
    /** For an escalation: the channels of its route. The first of them that accepts the start begins its wait. */
    startChannels: z.array(z.string()).optional(),
  }),
);
/** A pending notification to one channel: what happened, as of when it happened. */
export type Notification = z.infer<typeof notificationSchema>;

const receiptSchema = z.object({
  /** Where it was sent, as the service names it: the id of a Slack channel. */
  conversation: z.string(),
  /** The message there: its `ts` in Slack. */
  message: z.string(),
});
/** A sent message that its channel can change and reply to. */
export type Receipt = z.infer<typeof receiptSchema>;

const sentSchema = z.object({
  transition: transitionSchema,
  channel: z.string(),
  windowEndAt: z.number(),
  sentAt: z.number(),
  /** For a retraction: the end of the window on which the alert had fired. */
  firedWindowEndAt: z.number().optional(),
  /** Of a channel that can change its messages. */
  receipt: receiptSchema.optional(),
});
export type SentNotification = z.infer<typeof sentSchema>;

export const saidSchema = z.object({ by: z.string(), at: z.number(), reason: z.string() });
/** Who answered, when and why. `reason` may be empty. */
export type Said = z.infer<typeof saidSchema>;

interface AnswerFacts {
  endsAlert: boolean;
  /** Whether a button asks for confirmation. */
  asksAgain: boolean;
}

/** Possible answers, by their names in links, buttons and records. */
export const ANSWERS = {
  acknowledge: { endsAlert: false, asksAgain: false },
  'snooze-1h': { endsAlert: false, asksAgain: false },
  'snooze-1d': { endsAlert: false, asksAgain: false },
  'snooze-1w': { endsAlert: false, asksAgain: true },
  'snooze-until-recovered': { endsAlert: false, asksAgain: true },
  accept: { endsAlert: true, asksAgain: true },
  holiday: { endsAlert: true, asksAgain: true },
  incident: { endsAlert: false, asksAgain: false },
} as const satisfies Record<string, AnswerFacts>;
export type Answer = keyof typeof ANSWERS;
/** The answers that snooze, by their lengths in commands. */
export const SNOOZES = {
  '1h': 'snooze-1h',
  '1d': 'snooze-1d',
  '1w': 'snooze-1w',
  'until-recovered': 'snooze-until-recovered',
} as const satisfies Record<string, Answer>;
export const ANSWER_NAMES = Object.keys(ANSWERS) as [Answer, ...Answer[]];

const answerSchema = saidSchema.extend({
  answer: z.enum(ANSWER_NAMES),
  /** What the alert fired on at the time of the answer: `firingSince`. */
  firedWindowEndAt: z.number(),
  /** The single-use link or form through which it was given, if any. */
  link: z.string().nullable(),
});
export type GivenAnswer = z.infer<typeof answerSchema>;

const evaluatedWindowSchema = z.object({
  endAt: z.number(),
  /** `held`: it does not count. */
  verdict: z.enum(['breached', 'clear', 'held']),
});
export type EvaluatedWindow = z.infer<typeof evaluatedWindowSchema>;

const lastWindowSchema = z.object({
  endAt: z.number(),
  /** Rounded to five significant digits. */
  value: z.number().nullable(),
  verdict: z.enum(VERDICTS),
});
/** An evaluated window, for display. */
export type LastWindow = z.infer<typeof lastWindowSchema>;

export const alertSchema = alertKeySchema.extend({
  /** Hash of the rule's meaning; a different meaning resets the alert. */
  ruleHash: z.string(),
  state: z.enum(ALERT_STATES),
  /** End of the window that caused `state`. */
  stateSinceAt: z.number(),
  /** End of the last evaluated window. Earlier windows are not evaluated again. */
  evaluatedThroughAt: z.number(),
  /** The last windows since the alert last ended, oldest first: "N of M" counts them, and only they are re-evaluated. */
  recent: z.array(evaluatedWindowSchema),
  /** The last evaluated windows with their values, oldest first, for display. They outlive the end of the alert. */
  lastWindows: z.array(lastWindowSchema),
  /** For the alert of a whole rule with segments: the segment that `lastWindows` is about. */
  largestSegment: z.string().optional(),
  /** While firing or recovering: the fire and the baseline to recover to. */
  fired: firedSchema.nullable(),
  /** While pending: the first breach, whose baseline the next windows are compared with. */
  suspected: firedSchema.nullable(),
  /** The last firing spans, oldest first, the open one included. They are excluded from baselines. */
  incidents: z.array(windowSchema),
  /** Start of a level that was rebaselined. Older windows are excluded from baselines. */
  levelSinceAt: z.number().nullable(),
  /** End of the window by which that level was rebaselined; before that it was an incident. */
  levelAcceptedAt: z.number().optional(),
  /** Since when the series is known to have values; absent until then. */
  seenSinceAt: z.number().optional(),
  /** Ends of the windows in which it last started or stopped firing, oldest first. Flapping counts them. */
  changes: z.array(z.number()),
  /** While flapping: the end of the window since which it flaps. */
  flappingSinceAt: z.number().nullable(),
  /** Consecutive windows without a value. `notified`: a notification was sent, which never happens for a segment. */
  noData: z.object({ sinceAt: z.number(), windows: z.number(), notified: z.boolean() }).nullable(),
  /** For the alert of the rule as a whole: since when the rule has had no value. */
  unmatched: unmatchedSchema.nullable(),
  health: healthSchema,
  /** While it fires: the acknowledgement. */
  acknowledged: saidSchema.nullable(),
  /** While it fires: the snooze; `untilAt` is `null` for "until it recovers". */
  snoozed: saidSchema.extend({ untilAt: z.number().nullable() }).nullable(),
  /** Of an app alert: how long the app is usually silent, in ms, as known at a silence since `newestDataAt`. */
  usualSilence: z.object({ newestDataAt: z.number(), ms: z.number() }).optional(),
  /** Windows that end by then are held, as they differ for a known reason. */
  excusedUntilAt: z.number().nullable(),
  /** Answers, newest first. */
  answers: z.array(answerSchema),
  /** The last evaluation, for display. */
  last: evaluationSchema.nullable(),
  /** Notifications not sent yet, by `notificationKey`. */
  pending: z.record(z.string(), notificationSchema),
  /** The earliest `dueAt` in `pending`; `null` if it is empty. */
  pendingAt: z.number().nullable(),
  /** Sent notifications that `remembered` keeps, newest first. */
  sent: z.array(sentSchema),
  /** Counts saves; a save must name the revision that it is based on. */
  revision: z.number(),
});
/** The state of one rule and segment: everything kept between two runs. */
export type Alert = z.infer<typeof alertSchema>;

/** The result of one step: the alert afterwards and what to notify. */
export interface Step {
  alert: Alert;
  news: News[];
}

/** A step without a notification. */
export function quiet(alert: Alert): Step {
  return { alert, news: [] };
}

export function newAlert(key: AlertKey, ruleHash: string, evaluatedThroughAt: number): Alert {
  return {
    ...key,
    ruleHash,
    state: 'normal',
    stateSinceAt: evaluatedThroughAt,
    evaluatedThroughAt,
    recent: [],
    lastWindows: [],
    fired: null,
    suspected: null,
    incidents: [],
    levelSinceAt: null,
    changes: [],
    flappingSinceAt: null,
    noData: null,
    unmatched: null,
    health: { kind: 'ok' },
    acknowledged: null,
    snoozed: null,
    excusedUntilAt: null,
    answers: [],
    last: null,
    pending: {},
    pendingAt: null,
    sent: [],
    revision: 0,
  };
}

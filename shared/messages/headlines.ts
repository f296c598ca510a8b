import type { Alert, Notification } from '../alerts/alert.ts';
import { appOf } from '../alerts/app-alert.ts';
import { sinceOf } from '../alerts/open-alert.ts';
import { isEnd, TRANSITIONS, type Transition } from '../alerts/transitions.ts';
import { comparableOf } from '../evaluation/evaluation.ts';
import { quoted } from '../text/quoted.ts';
import {
  amountText,
  briefMomentText,
  inSegmentText,
  inWindowText,
  momentsIn,
  momentText,
  spanText,
  valueText,
} from './figure-text.ts';
import { gateText, type MomentText } from './gate-text.ts';
import { withMovement } from './movement-text.ts';
import { type EvaluatedWindow, evaluatedIn, type NewsContext, zoneOf } from './news.ts';
import { whatNow } from './next-steps.ts';
import { reasonText } from './reason-text.ts';
import { ENDED, endText } from './recovery-text.ts';
import { subjectOf } from './subjects.ts';
import { verdictText } from './verdict-text.ts';

/** One line that says what happened: "Purchases in Germany down 41%". */
export function headlineOf(news: NewsContext): string {
  const { escalatedAfterMinutes } = news.notification;
  const headline = plainHeadline(news);
  if (escalatedAfterMinutes === undefined) return headline;
  return `${headline}, not acknowledged for ${spanText(escalatedAfterMinutes * 60_000)}`;
}

function plainHeadline(news: NewsContext): string {
  const { alert, notification, rule } = news;
  const { transition } = notification;
  const app = appOf(alert);
  if (app !== undefined) return appHeadline(news, app);
  const subject = subjectOf(alert, rule);
  const evaluated = evaluatedIn(news);
  const now = evaluated && amountText(evaluated.evaluation.current.value, evaluated.rule);
  const moved = movementOf(news, subject, evaluated);
  switch (transition) {
    case 'fired':
      return moved;
    case 'persists':
      return `${moved}, still firing`;
    case 'reminded':
      return `${moved}, still firing after ${spanText(notification.dueAt - sinceOf(alert))}`;
    case 'acknowledged':
      return `${acknowledgerOf(alert)} acknowledged: ${moved}`;
    case 'snoozed':
      return `${snoozedText(news)}: ${moved}`;
    case 'recovered':
    case 'retracted':
    case 'accepted':
    case 'calmed':
      return `${ENDED[transition]}: ${subject}${endText(notification, evaluated)}`;
    case 'excused':
      return `${ENDED.excused}: ${moved}`;
    case 'restarted':
      return `${rule ? 'Rule changed' : 'Rule removed'}: ${subject}`;
    case 'flapping':
      return `Flapping: ${subject}${now ? `, now at ${now}` : ''}`;
    default:
      return healthHeadline(news, subject, transition);
  }
}

type HealthNews = Extract<
  Transition,
  | ('no-data' | 'data-back' | 'failing' | 'broken' | 'stalled' | 'healed' | 'stopped' | 'resumed')
  | 'matches-nothing'
>;

/** Headlines about whether a rule can be evaluated at all. */
function healthHeadline(
  { alert, notification, rule, zone }: NewsContext,
  subject: string,
  news: HealthNews,
): string {
  if (!rule && isEnd(news)) return `Rule removed: ${subject}`;
  switch (news) {
    case 'no-data': {
      const since =
        alert.noData && briefMomentText(alert.noData.sinceAt, zoneOf({ rule, zone }), notification.since);
      return `No data for ${subject}${since ? ` since ${since}` : ''}`;
    }
    case 'data-back':
      return `Data is back for ${subject}`;
    case 'failing':
      return `${subject} not checked: the last run failed`;
    case 'broken':
      return `${subject} not checked: 5 runs in a row failed`;
    case 'stalled':
      return notification.reason.code === 'out-of-time'
        ? `${subject} not checked: runs end before they reach it`
        : `${subject} not checked: the API call limit is reached`;
    case 'healed':
      return `${subject} is being checked again`;
    case 'matches-nothing': {
      const sinceAt = alert.unmatched?.sinceAt;
      const since = sinceAt === undefined ? '' : ` since ${momentText(sinceAt, zoneOf({ rule, zone }))}`;
      return `${subject} has matched nothing${since}`;
    }
    case 'stopped':
    case 'resumed':
      return `${subject}: ${reasonOf({ alert, notification, rule, zone })}`;
  }
}

function appHeadline(news: NewsContext, app: string): string {
  const { alert, notification } = news;
  if (notification.transition === 'restarted') return `No rules left: ${quoted(app)}`;
  if (notification.transition === 'acknowledged')
    return `${acknowledgerOf(alert)} acknowledged: no data from ${quoted(app)}`;
  if (notification.transition === 'snoozed') return `${snoozedText(news)}: no data from ${quoted(app)}`;
  if (notification.transition === 'reminded')
    return `Still no data from ${quoted(app)} after ${spanText(notification.dueAt - alert.stateSinceAt)}`;
  const brief = (at: number) => briefMomentText(at, zoneOf(news), notification.since);
  return capitalised(reasonOf(news, brief));
}

function acknowledgerOf({ acknowledged }: Alert): string {
  return quoted(acknowledged?.by || 'Someone');
}

/** "Anna snoozed until Tue 15:00 (Europe/Berlin)". */
function snoozedText(news: NewsContext): string {
  const { alert, notification } = news;
  const who = quoted(alert.snoozed?.by || 'Someone');
  const untilAt = alert.snoozed?.untilAt ?? null;
  const until = untilAt === null ? 'it recovers' : briefMomentText(untilAt, zoneOf(news), notification.since);
  return `${who} snoozed until ${until}`;
}

/** The subject and how it moved. */
function movementOf(news: NewsContext, subject: string, evaluated: EvaluatedWindow | undefined): string {
  const { notification, rule } = news;
  if (evaluated) return withMovement(subject, evaluated);
  return rule?.members && notification.evaluation
    ? `${subject}: ${verdictText(notification.evaluation, momentsIn(zoneOf(news)), rule)}`
    : `${subject} fires`;
}

/** A second line: "590 events on Tue 3 Mar 2026 (UTC), 1,000 before"; without figures the reason or the next step. */
export function summaryOf(news: NewsContext): string {
  const { alert, notification, rule } = news;
  const evaluated = evaluatedIn(news);
  const isUnacknowledged = notification.transition === 'reminded' && alert.acknowledged === null;
  if (!evaluated && isUnacknowledged) return 'Not acknowledged yet';
  if (!evaluated && notification.transition === 'acknowledged' && alert.acknowledged)
    return `Acknowledged ${momentText(alert.acknowledged.at, zoneOf(news))}`;
  if (!evaluated && notification.transition === 'snoozed' && alert.snoozed)
    return `Snoozed ${momentText(alert.snoozed.at, zoneOf(news))}`;
  if (evaluated)
    return `${figuresLine(notification, evaluated)}${isUnacknowledged ? '; not acknowledged yet' : ''}`;
  const members =
    rule?.members && notification.evaluation?.gates.filter(({ gate, passed }) => gate === 'member' && passed);
  if (members && members.length > 0)
    return members.map((gate) => gateText(gate, momentsIn(zoneOf(news)))).join('; ');
  const next = TRANSITIONS[notification.transition].why ? undefined : whatNow(news);
  return next ?? capitalised(reasonOf(news));
}

function figuresLine(
  { transition, firedWindowEndAt }: Notification,
  { evaluation, rule }: EvaluatedWindow,
): string {
  const { current, baseline } = evaluation;
  const { compared } = TRANSITIONS[transition];
  const isFrozen = compared === 'frozen' && baseline.window.endAt < (firedWindowEndAt ?? 0);
  const now = amountText(current.value, rule);
  const before = valueText(comparableOf(evaluation) ?? 0, rule);
  const when = inWindowText(current.window, { grain: rule.window, zone: rule.zone });
  switch (baseline.origin.of) {
    case 'window':
      return `${now} ${when}, ${before} ${isFrozen ? 'before it fired' : 'before'}`;
    case 'median':
      return `${now}, usually ${before}, ${when}`;
    case 'segments':
      return `${now}, ${before} ${inSegmentText(baseline.origin)}, ${when}`;
    case 'model':
      return `${now}, ${before} expected, ${when}`;
  }
}

/** The reason in plain words, in the rule's zone. */
export function reasonOf(news: NewsContext, at: MomentText = momentsIn(zoneOf(news))): string {
  const { notification, rule } = news;
  const { evaluation } = notification;
  const verdict = evaluation ? verdictText(evaluation, at, rule) : '';
  return reasonText(notification.reason, { at, window: rule?.window ?? 'window', verdict });
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

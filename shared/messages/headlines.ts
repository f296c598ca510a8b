import { appOf } from '../alerts/app-alert.ts';
import { sinceOf } from '../alerts/open-alert.ts';
import { isEnd, TRANSITIONS, type Transition } from '../alerts/transitions.ts';
import { comparableOf } from '../evaluation/evaluation.ts';
import { capitalised } from '../text/listed.ts';
import { quoted } from '../text/quoted.ts';
import { type FactSheet, type News, untilText } from './facts.ts';
import { amountText, inSegmentText, spanText, valueText } from './figure-text.ts';
import { inWindowText, momentText } from './time-text.ts';

/** One line that says what happened: "Purchases in Germany down 41%". */
export function headlineOf(news: News, sheet: FactSheet): string {
  const { transition, escalatedAfterMinutes } = news.notification;
  const said = HEADLINES[transition](news, sheet);
  // Names of rules are kept as they are; what is said about an app is a sentence.
  const headline = appOf(news.alert) === undefined ? said : capitalised(said);
  if (escalatedAfterMinutes === undefined) return headline;
  return `${headline}, not acknowledged for ${spanText(escalatedAfterMinutes * 60_000)}`;
}

const HEADLINES: Record<Transition, (news: News, sheet: FactSheet) => string> = {
  fired: (_, { moved }) => moved,
  persists: (_, { moved }) => `${moved}, still firing`,
  reminded: ({ alert, notification }, { moved }) => {
    const span = spanText(notification.dueAt - sinceOf(alert));
    return appOf(alert) === undefined
      ? `${moved}, still firing after ${span}`
      : `Still ${moved} after ${span}`;
  },
  acknowledged: ({ alert }, { moved }) => `${nameOf(alert.acknowledged)} acknowledged: ${moved}`,
  snoozed: ({ alert }, { moved, zone }) =>
    `${nameOf(alert.snoozed)} snoozed until ${untilText(alert, zone)}: ${moved}`,
  // Of a segment that is gone, nothing says that its figure is back.
  recovered: ({ notification: { evaluation, reason } }, { subject, now }) =>
    evaluation?.verdict === 'no-data' || reason.code === 'segment-unlisted'
      ? `Ended: ${subject}`
      : `Recovered: ${subject}${now && ` back at ${now}`}`,
  retracted: ({ notification: { firstRead } }, { subject, now, evaluated }) => {
    const wrong =
      evaluated && firstRead?.value != null ? `, not ${valueText(firstRead.value, evaluated.rule)}` : '';
    return `Retracted: ${subject}${now && ` at ${now}${wrong}`}`;
  },
  accepted: (_, { subject, now }) => `Rebaselined: ${subject}${now && ` at ${now}`}`,
  calmed: (_, { subject, now }) => `Stable again: ${subject}${now && ` at ${now}`}`,
  excused: (_, { moved }) => `Marked as expected: ${moved}`,
  restarted: ({ alert, rule }, { subject }) => {
    const app = appOf(alert);
    if (app !== undefined) return `No rules left: ${quoted(app)}`;
    return `${rule ? 'Rule changed' : 'Rule removed'}: ${subject}`;
  },
  flapping: (_, { subject, now }) => `Flapping: ${subject}${now && `, now at ${now}`}`,
  'no-data': ({ alert }, { subject, zone }) => `No data for ${subject}${sinceText(alert.noData, zone)}`,
  'data-back': ofRule((subject) => `Data is back for ${subject}`),
  failing: ofRule((subject) => `${subject} not checked: the last run failed`),
  broken: ofRule((subject) => `${subject} not checked: 5 runs in a row failed`),
  stalled: ({ notification: { reason } }, { subject }) =>
    `${subject} not checked: ${reason.code === 'out-of-time' ? 'runs end before they reach it' : 'the API call limit is reached'}`,
  healed: ofRule((subject) => `${subject} is being checked again`),
  'matches-nothing': ({ alert }, { subject, zone }) =>
    `${subject} has matched nothing${sinceText(alert.unmatched, zone)}`,
  stopped: (_, { reason }) => reason,
  resumed: (_, { reason }) => reason,
};

/** A condition of a rule also ends when the rule is removed. */
function ofRule(text: (subject: string) => string): (news: News, sheet: FactSheet) => string {
  return ({ rule, notification }, { subject }) =>
    !rule && isEnd(notification.transition) ? `Rule removed: ${subject}` : text(subject);
}

function nameOf(said: { by: string } | null): string {
  return quoted(said?.by || 'Someone');
}

function sinceText(from: { sinceAt: number } | null | undefined, zone: string): string {
  return from ? ` since ${momentText(from.sinceAt, zone)}` : '';
}

/** A second line: "590 events on Tue 3 Mar 2026 (UTC), 1,000 before"; without figures the reason or the next step. */
export function summaryOf(news: News, sheet: FactSheet): string {
  const { acknowledged, snoozed } = news.alert;
  const { transition } = news.notification;
  const { zone, evaluated, members, next, reason } = sheet;
  const isUnacknowledged = transition === 'reminded' && acknowledged === null;
  if (evaluated) return `${figuresLine(news, evaluated)}${isUnacknowledged ? '; not acknowledged yet' : ''}`;
  if (isUnacknowledged) return 'Not acknowledged yet';
  if (transition === 'acknowledged' && acknowledged)
    return `Acknowledged ${momentText(acknowledged.at, zone)}`;
  if (transition === 'snoozed' && snoozed) return `Snoozed ${momentText(snoozed.at, zone)}`;
  if (members.length > 0) return members.join('; ');
  return capitalised((TRANSITIONS[transition].why ? undefined : next) ?? reason);
}

function figuresLine(
  { notification: { transition, firedWindowEndAt } }: News,
  { evaluation, rule }: NonNullable<FactSheet['evaluated']>,
): string {
  const { current, baseline } = evaluation;
  const { compared } = TRANSITIONS[transition];
  const isFrozen = compared === 'frozen' && baseline.window.endAt < (firedWindowEndAt ?? 0);
  const now = amountText(current.value, rule);
  const when = inWindowText(current.window, { grain: rule.window, zone: rule.zone });
  const comparable = comparableOf(evaluation);
  if (comparable === null) return `${now} ${when}`;
  const before = valueText(comparable, rule);
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

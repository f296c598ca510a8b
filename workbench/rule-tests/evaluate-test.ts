import { reasonOf } from '../../shared/messages/facts.ts';
import { figure, percentText } from '../../shared/messages/figure-text.ts';
import type { ExpectedAlert, ExpectedMessage } from '../../shared/rule-tests/rule-test-file.ts';
import type { BoundTest } from './bind-test.ts';
import { isMet, messageText, subjectOf, unlikeMessage, unpaired, windowOf } from './expectations.ts';
import type { NotifiedAlert, Outcome, SentMessage } from './run-test.ts';
import { localText } from './test-times.ts';
import { lastVerdicts, reasonBeside, reasonLines, whyNot } from './why-not-fired.ts';

/** Limit of explained unexpected notifications: one cause may have many. */
const EXPLAINED = 3;

/** Why a test failed, as lines; empty if it passed. */
export function failuresOf(test: BoundTest, outcome: Outcome): string[] {
  const { alerts, messages } = test.expected;
  const failures = [
    ...(alerts ? alertFailures(alerts, test, outcome) : []),
    ...(messages ? messageFailures(messages, test, outcome) : []),
  ];
  return failures.length > 0 ? failures : neverEvaluated(test, outcome);
}

/** A rule without verdicts sends no notifications, which proves nothing. Notifications about its health do. */
function neverEvaluated(test: BoundTest, outcome: Outcome): string[] {
  const shown = new Set([
    ...outcome.evaluated.flatMap(({ ruleId, evaluation: { verdict } }) =>
      verdict === 'clear' || verdict === 'breached' ? ruleId : [],
    ),
    ...outcome.notified.map(subjectOf),
  ]);
  return test.ruleSet.rules
    .filter(({ id }) => !shown.has(id))
    .flatMap((rule) => [
      `the test does not exercise ${rule.id}: no window was clear or breached`,
      ...indented(lastVerdicts([rule], test, outcome)),
      '  add values until it has a baseline, or list the rules to test in "rules"',
    ]);
}

/** How expectations of one kind are compared and shown. */
interface Comparison<E, T> {
  title: string;
  /** What happened when an expectation is met: "notified" or "sent". */
  verb: string;
  meets: (expected: E, found: T) => boolean;
  foundText: (found: T) => string;
  /** Why an expectation was not met, given what nothing expected. */
  whyMissing: (expected: E, unexpected: T[]) => string[];
  whyFound: (found: T) => string[];
}

/** The differences, and why; empty if there are none. */
function differences<E extends object, T>(expected: E[], found: T[], about: Comparison<E, T>): string[] {
  const { title, verb, meets, foundText, whyMissing, whyFound } = about;
  const { missing, unexpected } = unpaired(expected, found, meets);
  if (missing.length === 0 && unexpected.length === 0) return [];
  return [
    `${title} (- expected, + ${verb})`,
    ...missing.map((each) => `  - ${writtenText(each)}`),
    ...found.map((each) => `  ${unexpected.includes(each) ? '+' : ' '} ${foundText(each)}`),
    ...missing.flatMap((each) => [
      '',
      `expected, not ${verb}: ${writtenText(each)}`,
      ...indented(whyMissing(each, unexpected)),
    ]),
    ...unexpected
      .slice(0, EXPLAINED)
      .flatMap((each) => ['', `${verb}, not expected: ${foundText(each)}`, ...whyFound(each)]),
  ];
}

function indented(lines: string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

function alertFailures(expected: ExpectedAlert[], test: BoundTest, outcome: Outcome): string[] {
  return differences(expected, outcome.notified, {
    ...{ title: 'alerts', verb: 'notified' },
    meets: (each, notified) => isMet(each, notified, test.clock),
    foundText: (each) => notifiedText(each, test),
    whyMissing: (each) => whyNot(each, test, outcome),
    whyFound: ({ pending }) => {
      const { evaluation, reason } = pending.notification;
      const zone = pending.rule?.zone ?? test.clock.zone;
      const isEvaluation = reason.code === 'evaluation' && evaluation;
      return reasonLines(isEvaluation ? reasonBeside(evaluation, zone) : reasonOf(pending), evaluation, zone);
    },
  });
}

function messageFailures(expected: ExpectedMessage[], test: BoundTest, outcome: Outcome): string[] {
  const unlikeIn = (each: ExpectedMessage, sent: SentMessage) => unlikeMessage(each, sent, test.clock);
  const { rules } = test.ruleSet;
  return differences(expected, outcome.messages, {
    ...{ title: 'messages', verb: 'sent' },
    meets: (each, sent) => unlikeIn(each, sent).length === 0,
    foundText: ({ at, channel, message }) =>
      `${channel}, at ${localText(at, test.clock)}, "${message.title}"`,
    whyMissing: (each, unexpected) => {
      const whys = unexpected.map((sent) => unlikeIn(each, sent));
      const [nearest] = whys.toSorted((a, b) => a.length - b.length);
      // An expected message does not name its rule.
      const verdicts = () => lastVerdicts(rules.slice(0, EXPLAINED), test, outcome);
      return nearest ?? ['no other message was sent', ...verdicts()];
    },
    whyFound: ({ message }) => indented(messageText(message).split('\n')),
  });
}

/** As it was written: "fired purchases, window 2026-03-09, change -60%". */
function writtenText(expected: Partial<ExpectedAlert & ExpectedMessage>): string {
  const { transition, subject, isOfApp: _, change, ...others } = expected;
  const words = [
    ...(transition === undefined ? [] : [`${transition} ${subject}`]),
    ...Object.entries(others).flatMap(([key, value]) =>
      value === undefined ? [] : [`${key} ${Array.isArray(value) ? value.join(' and ') : value}`],
    ),
    ...(change ? [`change ${change.percent.toFixed(change.decimals)}%`] : []),
  ];
  return words.join(', ') || 'any message';
}

/** "fired purchases, window 2026-03-09, at 2026-03-10 01:30: 400 against 1,000 (-60%)". */
function notifiedText(notified: NotifiedAlert, { clock }: BoundTest): string {
  const { alert, notification } = notified.pending;
  const window = windowOf(notified);
  const who = alert.segment === null ? subjectOf(notified) : `${subjectOf(notified)} [${alert.segment}]`;
  const { current, baseline, change } = notification.evaluation ?? {};
  const figures =
    current?.value == null || baseline?.value == null
      ? ''
      : `: ${figure(current.value)} against ${figure(baseline.value)}${change == null ? '' : ` (${percentText(change)})`}`;
  const when = window === undefined ? '' : `, window ${localText(window, clock).replace(/ 00:00$/, '')}`;
  return `${notification.transition} ${who}${when}, at ${localText(notified.at, clock)}${figures}`;
}

import { diffArrays } from 'diff';
import { figure, percentText } from '../../shared/messages/figure-text.ts';
import { reasonOf } from '../../shared/messages/headlines.ts';
import type { ExpectedAlert, ExpectedMessage } from '../../shared/rule-tests/rule-test-file.ts';
import type { BoundTest } from './bind-test.ts';
import { messageText, paired, subjectOf, unlike, unlikeMessage, windowOf } from './expectations.ts';
import type { NotifiedAlert, Outcome, SentMessage } from './run-test.ts';
import { localText } from './test-times.ts';
import { reasonBeside, reasonLines, whyNeverEvaluated, whyNot } from './why-not-fired.ts';

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
    .flatMap(({ id }) => [
      `the test does not exercise ${id}: no window was clear or breached`,
      ...whyNeverEvaluated(id, test, outcome).map((text) => `  ${text}`),
      '  add values until it has a baseline, or list the rules to test in "rules"',
    ]);
}

/** How expectations of one kind are compared and shown. */
interface Comparison<E, T> {
  title: string;
  meets: (expected: E, found: T) => boolean;
  expectedText: (expected: E) => string;
  foundText: (found: T) => string;
  /** Why an expectation was not met, given what nothing expected. */
  whyMissing: (expected: E, unexpected: T[]) => string[];
  whyFound: (found: T) => string[];
  /** What happened when an expectation is met: "notified" or "sent". */
  verb: string;
}

/** The differences as a diff, and why; empty if there are none. */
function differences<E, T>(expected: E[], found: T[], about: Comparison<E, T>): string[] {
  const { title, meets, expectedText, foundText, whyMissing, whyFound, verb } = about;
  const { pairs, missing, unexpected } = paired(expected, found, meets);
  if (missing.length === 0 && unexpected.length === 0) return [];
  const wanted = inOrderOf(found, expected, pairs).map((each) => {
    const match = pairs.get(each);
    return match ? foundText(match) : expectedText(each);
  });
  const indented = (lines: string[]) => lines.map((line) => `  ${line}`);
  return [
    `${title} (- expected, + ${verb})`,
    ...diffLines(wanted, found.map(foundText)),
    ...missing.flatMap((each) => [
      '',
      `expected, not ${verb}: ${expectedText(each)}`,
      ...indented(whyMissing(each, unexpected)),
    ]),
    ...unexpected
      .slice(0, EXPLAINED)
      .flatMap((each) => ['', `${verb}, not expected: ${foundText(each)}`, ...whyFound(each)]),
  ];
}

function alertFailures(expected: ExpectedAlert[], test: BoundTest, outcome: Outcome): string[] {
  return differences(expected, outcome.notified, {
    ...{ title: 'alerts', verb: 'notified', expectedText },
    meets: (each, notified) => unlike(each, notified, test.clock).length === 0,
    foundText: (each) => notifiedText(each, test),
    whyMissing: (each, unexpected) => nearMiss(each, unexpected, test) ?? whyNot(each, test, outcome),
    whyFound: (each) => whyNotified(each, test),
  });
}

/** The most similar notification, and the keys that differ. */
function nearMiss(
  expected: ExpectedAlert,
  unexpected: NotifiedAlert[],
  test: BoundTest,
): string[] | undefined {
  const near = unexpected.flatMap((notified) => {
    const keys = unlike(expected, notified, test.clock);
    const isSame = !keys.some((key) => key === 'transition' || key === 'subject' || key === 'segment');
    return isSame && (!keys.includes('window') || !keys.includes('at')) ? [{ notified, keys }] : [];
  });
  const [nearest] = near.toSorted((a, b) => a.keys.length - b.keys.length);
  if (!nearest || nearest.keys.includes('window')) return undefined;
  return [`notified with a different ${nearest.keys.join(', ')}: ${notifiedText(nearest.notified, test)}`];
}

function whyNotified({ pending }: NotifiedAlert, { clock }: BoundTest): string[] {
  const { evaluation, reason } = pending.notification;
  const zone = pending.rule?.zone ?? clock.zone;
  const isEvaluation = reason.code === 'evaluation' && evaluation;
  const why = isEvaluation ? reasonBeside(evaluation, zone) : reasonOf(pending);
  return reasonLines(why, evaluation, zone);
}

function messageFailures(expected: ExpectedMessage[], test: BoundTest, outcome: Outcome): string[] {
  const unlikeIn = (each: ExpectedMessage, sent: SentMessage) => unlikeMessage(each, sent, test.clock);
  return differences(expected, outcome.messages, {
    ...{ title: 'messages', verb: 'sent', expectedText: wantedText },
    meets: (each, sent) => unlikeIn(each, sent).length === 0,
    foundText: (each) => sentText(each, test),
    whyMissing: (each, unexpected) => {
      const whys = unexpected.map((sent) => unlikeIn(each, sent));
      const [nearest] = whys.toSorted((a, b) => a.length - b.length);
      return nearest ?? ['no other message was sent', ...whyNoMessage(test, outcome)];
    },
    whyFound: ({ message }) =>
      messageText(message)
        .split('\n')
        .map((line) => `  ${line}`),
  });
}

/** The last window of each rule with its gates: an expected message does not name its rule. */
function whyNoMessage(test: BoundTest, outcome: Outcome): string[] {
  const ids = [...new Set(outcome.evaluated.map(({ ruleId }) => ruleId))];
  return ids.slice(0, EXPLAINED).flatMap((id) => whyNeverEvaluated(id, test, outcome));
}

/**
 * Expected alerts in the order of their notifications, and those that were never sent after the one they
 * follow.
 */
function inOrderOf<E, T>(found: T[], expected: E[], pairs: ReadonlyMap<E, T>): E[] {
  let place = -1;
  const placed = expected.map((each) => {
    const match = pairs.get(each);
    if (match !== undefined) place = found.indexOf(match);
    return { each, place };
  });
  return placed.sort((a, b) => a.place - b.place).map(({ each }) => each);
}

function diffLines(expected: string[], found: string[]): string[] {
  if (expected.length + found.length === 0) return [];
  return diffArrays(expected, found).flatMap(({ value, added, removed }) =>
    value.map((text) => `  ${added ? '+' : removed ? '-' : ' '} ${text}`),
  );
}

/** As it was written: "fired purchases, window 2026-03-09, change -60%". */
function expectedText(expected: ExpectedAlert): string {
  const { transition, subject, segment, change, reason } = expected;
  const who = segment === undefined ? subject : `${subject} [${segment}]`;
  const written = (['window', 'at', 'current', 'baseline', 'difference'] as const).flatMap((key) =>
    expected[key] === undefined ? [] : [`${key} ${expected[key]}`],
  );
  return [
    `${transition} ${who}`,
    ...written,
    ...(change === undefined ? [] : [`change ${change.percent.toFixed(change.decimals)}%`]),
    ...(reason === undefined ? [] : [`reason "${reason}"`]),
  ].join(', ');
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
  return (
    [
      `${notification.transition} ${who}`,
      ...(window === undefined ? [] : [`window ${localText(window, clock).replace(/ 00:00$/, '')}`]),
      `at ${localText(notified.at, clock)}`,
    ].join(', ') + figures
  );
}

function wantedText({ channel, at, title, contains, items, severity }: ExpectedMessage): string {
  const said = [
    ...(channel === undefined ? [] : [channel]),
    ...(at === undefined ? [] : [`at ${at}`]),
    ...(title === undefined ? [] : [`"${title}"`]),
    ...(severity === undefined ? [] : [severity]),
    ...(items === undefined ? [] : [`of ${items}`]),
    ...[contains ?? []].flat().map((each) => `with "${each}"`),
  ];
  return said.length > 0 ? said.join(', ') : 'any message';
}

function sentText({ at, channel, message }: SentMessage, { clock }: BoundTest): string {
  const of = message.items.length > 1 ? `, of ${message.items.length}` : '';
  return `${channel}, at ${localText(at, clock)}, "${message.title}"${of}`;
}

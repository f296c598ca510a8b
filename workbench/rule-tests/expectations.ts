import { appOf } from '../../shared/alerts/app-alert.ts';
import { reasonOf } from '../../shared/messages/headlines.ts';
import type { Message } from '../../shared/messages/message.ts';
import type {
  ExpectedAlert,
  ExpectedMessage,
  WrittenPercent,
} from '../../shared/rule-tests/rule-test-file.ts';
import type { ZoneClock } from '../../shared/time/zone-clock.ts';
import type { NotifiedAlert, SentMessage } from './run-test.ts';
import { isAt, localText } from './test-times.ts';

/** The subject of a notification: a rule id, or an app. */
export function subjectOf({ pending: { alert } }: NotifiedAlert): string {
  return appOf(alert) ?? alert.ruleId;
}

/** Start of the notification's window; `undefined` without one. */
export function windowOf({ pending: { notification } }: NotifiedAlert): number | undefined {
  return notification.evaluation?.current.window.startAt;
}

/** Keys that do not match; empty if all do. */
export function unlike(
  expected: ExpectedAlert,
  notified: NotifiedAlert,
  clock: ZoneClock,
): (keyof ExpectedAlert)[] {
  const { alert, notification } = notified.pending;
  const { evaluation } = notification;
  const { segment, window, at } = expected;
  const figures = {
    current: evaluation?.current.value,
    baseline: evaluation?.baseline.value,
    difference: evaluation?.difference,
    change: evaluation?.change,
  };
  const checks: [keyof ExpectedAlert, boolean][] = [
    ['transition', expected.transition === notification.transition],
    [
      'subject',
      expected.subject === subjectOf(notified) && expected.isOfApp === (appOf(alert) !== undefined),
    ],
    ['segment', segment === undefined || segment === alert.segment],
    ['window', window === undefined || isAt(window, windowOf(notified), clock)],
    ['at', at === undefined || isAt(at, notified.at, clock)],
    ['current', isAsWritten(expected.current, figures.current)],
    ['baseline', isAsWritten(expected.baseline, figures.baseline)],
    ['difference', isAsWritten(expected.difference, figures.difference)],
    ['change', isPercentAsWritten(expected.change, figures.change)],
    ['reason', expected.reason === undefined || reasonOf(notified.pending).includes(expected.reason)],
  ];
  return checks.flatMap(([key, isSo]) => (isSo ? [] : [key]));
}

/** Compares with the written precision: 0.31 matches 0.3127. */
function isAsWritten(written: number | undefined, found: number | null | undefined): boolean {
  return written === undefined || isNear(written, decimalsOf(written), found);
}

/** -31% matches anything that rounds to it. */
function isPercentAsWritten(written: WrittenPercent | undefined, ratio: number | null | undefined): boolean {
  return written === undefined || isNear(written.percent, written.decimals, ratio && 100 * ratio);
}

function isNear(written: number, decimals: number, found: number | null | undefined): boolean {
  if (found === null || found === undefined) return false;
  return Math.abs(found - written) <= 0.5 * 10 ** -decimals + 1e-9 * Math.abs(written);
}

/** JavaScript writes 0.0000001 as 1e-7. */
function decimalsOf(written: number): number {
  const [digits = '', exponent = '0'] = String(written).split('e');
  return Math.max(0, (digits.split('.')[1]?.length ?? 0) - Number(exponent));
}

/** Why a message does not match; empty if it does. */
export function unlikeMessage(expected: ExpectedMessage, sent: SentMessage, clock: ZoneClock): string[] {
  const { channel, at, title, items, severity } = expected;
  const { message } = sent;
  const text = messageText(message);
  const wanted = [expected.contains ?? []].flat();
  return [
    ...(channel === undefined || channel === sent.channel ? [] : [`it went to ${sent.channel}`]),
    ...(at === undefined || isAt(at, sent.at, clock) ? [] : [`it was sent at ${localText(sent.at, clock)}`]),
    ...(title === undefined || title === message.title ? [] : [`its title is "${message.title}"`]),
    ...(items === undefined || items === message.items.length
      ? []
      : [`its number of items is ${message.items.length}, not ${items}`]),
    ...(severity === undefined || severity === message.severity
      ? []
      : [`its severity is ${message.severity}`]),
    ...wanted.flatMap((each) => (text.includes(each) ? [] : [`it does not contain "${each}"`])),
  ];
}

/** The full text of a message, one line per part, for `contains`. */
export function messageText({ title, text, items }: Message): string {
  const lines = items.flatMap(({ headline, summary, facts, runbook }) => [
    headline,
    summary,
    ...facts.map((fact) => `${fact.label}: ${fact.text}`),
    ...(runbook === null ? [] : [runbook]),
  ]);
  return [...new Set([title, text, ...lines])].join('\n');
}

interface Pairs<E, T> {
  pairs: Map<E, T>;
  /** Expected but not found; found but not expected. */
  missing: E[];
  unexpected: T[];
}

/** The most pairs of expectations and distinct matches: an expectation yields its match if it has another. */
export function paired<E, T>(
  expected: E[],
  found: T[],
  meets: (expected: E, found: T) => boolean,
): Pairs<E, T> {
  const takers = new Map<T, E>();
  const takes = (each: E, tried: Set<T>): boolean =>
    found.some((one) => {
      if (tried.has(one) || !meets(each, one)) return false;
      tried.add(one);
      const taker = takers.get(one);
      if (taker !== undefined && !takes(taker, tried)) return false;
      takers.set(one, each);
      return true;
    });
  for (const each of expected) takes(each, new Set());
  const pairs = new Map([...takers].map(([one, each]) => [each, one]));
  return {
    pairs,
    missing: expected.filter((each) => !pairs.has(each)),
    unexpected: found.filter((one) => !takers.has(one)),
  };
}

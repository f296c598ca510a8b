import { appOf } from '../../shared/alerting/alerts/app-alert.ts';
import { reasonOf } from '../../shared/alerting/messages/headlines.ts';
import type {
  ExpectedAlert,
  ExpectedMessage,
  WrittenPercent,
} from '../../shared/alerting/rule-tests/rule-test-file.ts';
import type { ZoneClock } from '../../shared/alerting/time/zone-clock.ts';
import { messageText } from './message-text.ts';
import type { NotifiedAlert, SentMessage } from './run-test.ts';
import { isAt, localText } from './test-times.ts';

/** Whose news it is: the id of the rule, or the app's own. */
export function subjectOf({ pending: { alert } }: NotifiedAlert): string {
  return appOf(alert) ?? alert.ruleId;
}

/** When the window begins that is told of; `undefined` for news of none. */
export function windowOf({ pending: { notification } }: NotifiedAlert): number | undefined {
  return notification.evaluation?.window.startAt;
}

/** What of an expectation is not so; empty where all of it is. */
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

/** As many decimals count as were written: 0.31 is 0.3127 too. */
function isAsWritten(written: number | undefined, found: number | null | undefined): boolean {
  return written === undefined || isNear(written, decimalsOf(written), found);
}

/** -31 % is anything that rounds to it. */
function isPercentAsWritten(written: WrittenPercent | undefined, ratio: number | null | undefined): boolean {
  return written === undefined || isNear(written.percent, written.decimals, ratio && 100 * ratio);
}

function isNear(written: number, decimals: number, found: number | null | undefined): boolean {
  if (found === null || found === undefined) return false;
  return Math.abs(found - written) <= 0.5 * 10 ** -decimals + 1e-9 * Math.abs(written);
}

/** Of 0.0000001 too, which the language writes as 1e-7. */
function decimalsOf(written: number): number {
  const [digits = '', exponent = '0'] = String(written).split('e');
  return Math.max(0, (digits.split('.')[1]?.length ?? 0) - Number(exponent));
}

/** What of an expected message is not so; empty where all of it is. */
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
      : [`it tells of ${message.items.length}, not of ${items}`]),
    ...(severity === undefined || severity === message.severity
      ? []
      : [`its severity is ${message.severity}`]),
    ...wanted.flatMap((each) => (text.includes(each) ? [] : [`it does not contain "${each}"`])),
  ];
}

export interface Pairs<E, T> {
  pairs: Map<E, T>;
  /** Expected and not found; found and not expected. */
  missing: E[];
  unexpected: T[];
}

/** As many expectations as can each have one thing of their own that meets them; of several ways, the most exacting first. */
export function paired<E, T>(
  expected: E[],
  found: T[],
  { meets, exacting }: { meets: (expected: E, found: T) => boolean; exacting: (expected: E) => number },
): Pairs<E, T> {
  const takers = new Map<T, E>();
  /** Whether `each` can have one, if those that have it can take another. */
  const takes = (each: E, tried: Set<T>): boolean =>
    found.some((one) => {
      if (tried.has(one) || !meets(each, one)) return false;
      tried.add(one);
      const taker = takers.get(one);
      if (taker !== undefined && !takes(taker, tried)) return false;
      takers.set(one, each);
      return true;
    });
  for (const each of expected.toSorted((a, b) => exacting(b) - exacting(a))) takes(each, new Set());
  const pairs = new Map([...takers].map(([one, each]) => [each, one]));
  return {
    pairs,
    missing: expected.filter((each) => !pairs.has(each)),
    unexpected: found.filter((one) => !takers.has(one)),
  };
}

import { appOf } from '../../shared/alerts/app-alert.ts';
import type { Evaluation } from '../../shared/evaluation/evaluation.ts';
import { reasonOf } from '../../shared/messages/facts.ts';
import type { Message } from '../../shared/messages/message.ts';
import type { ExpectedAlert, ExpectedMessage } from '../../shared/rule-tests/rule-test-file.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { windowEnding } from '../../shared/time/window.ts';
import type { ZoneClock } from '../../shared/time/zone-clock.ts';
import type { NotifiedAlert, SentMessage } from './run-test.ts';
import { isAt, localText } from './test-times.ts';

/** The subject of a notification: a rule id, or an app. */
export function subjectOf({ pending: { alert } }: NotifiedAlert): string {
  return appOf(alert) ?? alert.ruleId;
}

/** Start of the notification's window; `undefined` without one. */
export function windowOf({ pending: { notification, rule } }: NotifiedAlert): number | undefined {
  return notification.evaluation ? startOf(notification.evaluation, rule) : undefined;
}

/** Start of the evaluated window: of the last one, where several are added. */
export function startOf({ current: { window } }: Evaluation, rule: Rule | undefined): number {
  return rule ? windowEnding(window.endAt, { grain: rule.window, zone: rule.zone }).startAt : window.startAt;
}

/** Whether the notification has everything that is expected of it. */
export function isMet(expected: ExpectedAlert, notified: NotifiedAlert, clock: ZoneClock): boolean {
  const { alert, notification } = notified.pending;
  const { evaluation } = notification;
  const { segment, window, at, reason, change } = expected;
  return (
    expected.transition === notification.transition &&
    expected.subject === subjectOf(notified) &&
    expected.isOfApp === (appOf(alert) !== undefined) &&
    (segment === undefined || segment === alert.segment) &&
    isAt(window, windowOf(notified), clock) &&
    isAt(at, notified.at, clock) &&
    isAsWritten(expected.current, evaluation?.current.value) &&
    isAsWritten(expected.baseline, evaluation?.baseline.value) &&
    isAsWritten(expected.difference, evaluation?.difference) &&
    (!change || isNear(change.percent, change.decimals, evaluation?.change && 100 * evaluation.change)) &&
    (reason === undefined || reasonOf(notified.pending).includes(reason))
  );
}

/** Compares with the written precision: 0.31 matches 0.3127. */
function isAsWritten(written: number | undefined, found: number | null | undefined): boolean {
  return written === undefined || isNear(written, decimalsOf(written), found);
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
  const checks: [isUnlike: boolean, why: string][] = [
    [channel !== undefined && channel !== sent.channel, `it went to ${sent.channel}`],
    [!isAt(at, sent.at, clock), `it was sent at ${localText(sent.at, clock)}`],
    [title !== undefined && title !== message.title, `its title is "${message.title}"`],
    [items !== undefined && items !== message.items.length, `its number of items is ${message.items.length}`],
    [severity !== undefined && severity !== message.severity, `its severity is ${message.severity}`],
    ...[expected.contains ?? []]
      .flat()
      .map((each): [boolean, string] => [!text.includes(each), `it does not contain "${each}"`]),
  ];
  return checks.flatMap(([isUnlike, why]) => (isUnlike ? [why] : []));
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

/** What was not found, and not expected, with the most pairs of both: an expectation yields its match if it has another. */
export function unpaired<E, T>(
  expected: E[],
  found: T[],
  meets: (expected: E, found: T) => boolean,
): { missing: E[]; unexpected: T[] } {
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
  const met = new Set(takers.values());
  return {
    missing: expected.filter((each) => !met.has(each)),
    unexpected: found.filter((one) => !takers.has(one)),
  };
}

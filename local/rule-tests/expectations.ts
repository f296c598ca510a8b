import { appOf } from '../../shared/alerting/app-alert.ts';
import type { ExpectedAlert, ExpectedMessage } from '../../shared/alerting/rule-test-file.ts';
import type { ZoneClock } from '../../shared/alerting/zone-clock.ts';
import { messageText } from './message-text.ts';
import type { SentMessage, ToldAlert } from './run-test.ts';

/** "2026-03-09 14:00" by the clocks of the zone; midnight is left out where a whole day is meant. */
export function localText(at: number, clock: ZoneClock): string {
  return new Date(clock.localOf(at)).toISOString().slice(0, 16).replace('T', ' ');
}

/** Whether a time is the one that was written; a date alone is all of its day. */
function isAt(written: string, at: number | undefined, clock: ZoneClock): boolean {
  return at !== undefined && localText(at, clock).startsWith(written.replace('T', ' '));
}

/** Whose news it is: the id of the rule, or the app's own. */
export function subjectOf({ owed: { alert } }: ToldAlert): string {
  return appOf(alert) ?? alert.ruleId;
}

/** When the window begins that is told of; `undefined` for news of none. */
export function windowOf({ owed: { debt } }: ToldAlert): number | undefined {
  return debt.evaluation?.window.startAt;
}

/** What of an expectation is not so; empty where all of it is. */
export function unlike(expected: ExpectedAlert, told: ToldAlert, clock: ZoneClock): (keyof ExpectedAlert)[] {
  const { alert, debt } = told.owed;
  const { evaluation, reason } = debt;
  const { segment, window, at } = expected;
  const figures = {
    current: evaluation?.current.value,
    baseline: evaluation?.baseline.value,
    difference: evaluation?.difference,
    change: evaluation?.change,
  };
  const checks: [keyof ExpectedAlert, boolean][] = [
    ['transition', expected.transition === debt.transition],
    ['subject', expected.subject === subjectOf(told) && expected.isOfApp === (appOf(alert) !== undefined)],
    ['segment', segment === undefined || segment === alert.segment],
    ['window', window === undefined || isAt(window, windowOf(told), clock)],
    ['at', at === undefined || isAt(at, told.at, clock)],
    ['current', isAsWritten(expected.current, figures.current)],
    ['baseline', isAsWritten(expected.baseline, figures.baseline)],
    ['difference', isAsWritten(expected.difference, figures.difference)],
    ['change', isAsWritten(expected.change, figures.change)],
    ['reason', expected.reason === undefined || reason.includes(expected.reason)],
  ];
  return checks.flatMap(([key, isSo]) => (isSo ? [] : [key]));
}

/** As many decimals count as were written: 0.31 is 0.3127 too, and 31 % anything that rounds to it. */
function isAsWritten(written: number | undefined, found: number | null | undefined): boolean {
  if (written === undefined) return true;
  if (found === null || found === undefined) return false;
  const decimals = String(written).split('.')[1]?.length ?? 0;
  return Math.abs(found - written) <= 0.5 * 10 ** -decimals + 1e-9 * Math.abs(written);
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

/** Each expectation with one thing that meets it, the most exacting first. */
export function paired<E, T>(
  expected: E[],
  found: T[],
  { meets, exacting }: { meets: (expected: E, found: T) => boolean; exacting: (expected: E) => number },
): Pairs<E, T> {
  const pairs = new Map<E, T>();
  const left = new Set(found);
  for (const each of expected.toSorted((a, b) => exacting(b) - exacting(a))) {
    const match = [...left].find((one) => meets(each, one));
    if (match === undefined) continue;
    pairs.set(each, match);
    left.delete(match);
  }
  return { pairs, missing: expected.filter((each) => !pairs.has(each)), unexpected: [...left] };
}

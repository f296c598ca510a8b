import { spanText } from '../../shared/messages/figure-text.ts';
import { counted } from '../../shared/text/counted.ts';
import type { Window } from '../../shared/time/window.ts';
import type { Comparison, Moved, RuleComparison } from './compare.ts';
import type { ReplayReport } from './report.ts';
import type { Fire } from './series-log.ts';

/** 4.333 as "4.3". */
export function rateText(rate: number): string {
  return rate.toLocaleString('en-US', { maximumFractionDigits: rate < 100 ? 1 : 0 });
}

/** The replayed period: "90 days, 2026-08-24 to 2026-11-22". */
export function spanWords({ startAt, endAt }: Window): string {
  const [from, to] = [startAt, endAt].map((at) => new Date(at).toISOString());
  const isDays = [from, to].every((time) => time?.endsWith('T00:00:00.000Z'));
  const name = (time = '') => (isDays ? time.slice(0, 10) : `${time.slice(0, 16).replace('T', ' ')}Z`);
  return `${spanText(endAt - startAt)}, ${name(from)} to ${name(to)}`;
}

/** How long an alert was open: "3 days", "3 days so far", or "still open" if it fired on the last window. */
export function openText({ window, throughAt, hasEnded }: Fire): string {
  const openMs = throughAt - window.endAt;
  if (openMs === 0 && !hasEnded) return 'still open';
  return `${spanText(openMs)}${hasEnded ? '' : ' so far'}`;
}

export function movedText({ before, after }: Moved): string {
  const [old, now] = [openText(before), openText(after)];
  return old === now ? `${now}, fires at a different time` : `${old} before, ${now} now`;
}

/** "13 alerts, 4.3 a month; 25 messages, 8.3 a month". */
export function totalsText({ alerts, alertsPerMonth, messages, messagesPerMonth }: ReplayReport): string {
  const rate = (count: number, noun: string, perMonth: number) =>
    `${counted(count, noun)}, ${rateText(perMonth)} a month`;
  return `${rate(alerts, 'alert', alertsPerMonth)}; ${rate(messages, 'message', messagesPerMonth)}`;
}

/** How the rules changed: "2 added, 1 changed in meaning", "none changed". */
export function changedRulesText({ added, removed, changed, cosmetic }: Comparison): string {
  return (
    countsText([
      [added, 'added'],
      [removed, 'removed'],
      [changed, 'changed in meaning'],
      [cosmetic, 'changed otherwise'],
    ]) ?? 'none changed'
  );
}

/** How a rule's alerts or receivers changed: "2 new, 1 gone, 3 with a different length". */
export function changeText({ appears, disappears, moved, alerts, messagesPerMonth }: RuleComparison): string {
  const said = countsText([
    [appears, 'new'],
    [disappears, 'gone'],
    [moved, 'with a different length'],
  ]);
  if (said !== undefined) return said;
  const { before, after } = messagesPerMonth;
  if (before !== after) return `the same alerts; messages a month ${rateText(before)} → ${rateText(after)}`;
  return alerts.before + alerts.after > 0 ? 'the same alerts' : 'no alert';
}

function countsText(counts: [of: unknown[], what: string][]): string | undefined {
  const said = counts.flatMap(([of, what]) => (of.length > 0 ? [`${of.length} ${what}`] : []));
  return said.length > 0 ? said.join(', ') : undefined;
}

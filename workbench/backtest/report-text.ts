import { shareText, spanText } from '../../shared/messages/figure-text.ts';
import { counted } from '../../shared/text/counted.ts';
import type { Window } from '../../shared/time/window.ts';
import type { BacktestReport } from './backtest.ts';
import type { Comparison, Moved, RuleComparison } from './compare.ts';
import type { FoundIncident, Hits } from './found-incidents.ts';
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

/** "12 of 15 alerts right (80%); 7 of 9 incidents found (77.8%), half of them within 2 days". */
export function hitsText({ right, wrong, incidents, found, precision, recall, medianDelayMs }: Hits): string {
  const alerts =
    precision === null
      ? 'no alert'
      : `${right} of ${counted(right + wrong, 'alert')} right (${shareText(precision)})`;
  const all =
    recall === null
      ? 'no known incidents in this period'
      : `${found} of ${counted(incidents, 'incident')} found (${shareText(recall)})`;
  const delay = medianDelayMs === null ? '' : `, half of them within ${spanText(medianDelayMs)}`;
  return `${alerts}; ${all}${delay}`;
}

/** Who found an incident: "purchases after 1 day, and 2 more", "no rule: purchases did not fire for it". */
export function foundText({ foundBy: [first, ...others], missed }: FoundIncident): string {
  const silent = missed.length > 0 ? `${missed.join(', ')} did not fire for it` : '';
  if (!first) return silent === '' ? 'no rule' : `no rule: ${silent}`;
  const more = others.length > 0 ? `, and ${others.length} more` : '';
  return `${first.rule} after ${spanText(first.delayMs)}${more}${silent && `; ${silent}`}`;
}

/** "13 alerts, 4.3 a month; 25 messages, 8.3 a month". */
export function totalsText({ alerts, alertsPerMonth, messages, messagesPerMonth }: ReplayReport): string {
  const rate = (count: number, noun: string, perMonth: number) =>
    `${counted(count, noun)}, ${rateText(perMonth)} a month`;
  return `${rate(alerts, 'alert', alertsPerMonth)}; ${rate(messages, 'message', messagesPerMonth)}`;
}

/** "12 calls made; in production 94 calls a day, and about 12 per fire". */
export function callsText({ calls: { made, perDay } }: BacktestReport): string {
  const read = made > 0 ? `${counted(made, 'call')} made; in` : 'In';
  return `${read} production ${counted(Math.ceil(perDay), 'call')} a day, and about 12 per fire`;
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

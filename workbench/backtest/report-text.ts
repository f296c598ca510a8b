import type { RuleChanges } from '../../shared/deployments/rule-changes.ts';
import { measureText, percentText, spanText } from '../../shared/messages/figure-text.ts';
import { metricOf } from '../../shared/rules/metrics.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { counted } from '../../shared/text/counted.ts';
import type { Window } from '../../shared/time/window.ts';
import { ZoneClock } from '../../shared/time/zone-clock.ts';
import { type Moved, messageRates, type RuleComparison } from './compare.ts';
import type { Fire } from './fires.ts';
import type { Hits, LabelOutcome } from './hits.ts';
import type { Statistics } from './statistics.ts';

/** 4.333 as "4.3". */
export function rateText(rate: number): string {
  return rate.toLocaleString('en-US', { maximumFractionDigits: rate < 100 ? 1 : 0 });
}

/** "0%", "under 1%", "12%". */
export function shareText(share: number): string {
  if (share > 0 && share < 0.01) return 'under 1%';
  return `${Math.floor(share * 100)}%`;
}

/** The replayed period: "90 days, 2026-08-24 to 2026-11-22". */
export function spanWords({ startAt, endAt }: Window): string {
  const [from, to] = [startAt, endAt].map((at) => new Date(at).toISOString());
  const isDays = [from, to].every((time) => time?.endsWith('T00:00:00.000Z'));
  const name = (time = '') => (isDays ? time.slice(0, 10) : `${time.slice(0, 16).replace('T', ' ')}Z`);
  return `${spanText(endAt - startAt)}, ${name(from)} to ${name(to)}`;
}

/** Start of a window in the rule's zone: "2026-03-02", or "2026-03-02 14:00" for an hour. */
export function beginText({ startAt }: Window, { window, zone }: Pick<Rule, 'window' | 'zone'>): string {
  const local = new Date(new ZoneClock(zone).localOf(startAt)).toISOString();
  return window === 'hour' ? local.slice(0, 16).replace('T', ' ') : local.slice(0, 10);
}

/** "100 to 40 (-60%)". */
export function firedOnText({ figures: { current, baseline, change } }: Fire, rule: Rule): string {
  if (current === null || baseline === null || rule.members) return '';
  const isShare = metricOf(rule).kind === 'ratio';
  const by = change === null ? 'new' : percentText(change);
  return `${measureText(baseline, isShare)} to ${measureText(current, isShare)} (${by})`;
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

/** "12 of 15 alerts right (80%), 2 elsewhere at that time; 7 of 9 incidents found (77%), half of them within 2 days". */
export function hitsText(hits: Hits): string {
  const { right, elsewhere, wrong, incidents, found, precision, recall, medianDelayMs } = hits;
  const alerts =
    precision === null
      ? 'no alert'
      : `${right} of ${counted(right + elsewhere + wrong, 'alert')} right (${shareText(precision)})`;
  const beside = elsewhere > 0 ? `, ${elsewhere} elsewhere at that time` : '';
  const labels =
    recall === null
      ? 'no incidents in this period'
      : `${found} of ${counted(incidents, 'incident')} found (${shareText(recall)})`;
  const delay = medianDelayMs === null ? '' : `, half of them within ${spanText(medianDelayMs)}`;
  return `${alerts}${beside}; ${labels}${delay}`;
}

/** Columns of matches, shown with labels. */
export const MATCHES = ['right', 'elsewhere'];

/** Numbers of `right` and `elsewhere` alerts; empty without alerts. */
export function matchCells(hits: Hits | null): string[] {
  return hits && hits.precision !== null ? [`${hits.right}`, `${hits.elsewhere}`] : ['', ''];
}

/** Who found an incident: "purchases after 1 day, and 2 more", "no rule: purchases did not fire for it". */
export function foundText({ hits: [first, ...others], missed, isWatched }: LabelOutcome): string {
  const silent = !isWatched
    ? 'no rule watches its data'
    : missed.length > 0
      ? `${missed.join(', ')} did not fire for it`
      : '';
  if (!first) return silent === '' ? 'no rule' : `no rule: ${silent}`;
  const more = others.length > 0 ? `, and ${others.length} more` : '';
  return `${first.ruleId} after ${spanText(first.delayMs)}${more}${silent && `; ${silent}`}`;
}

/** "13 alerts, 4.3 a month; 25 messages, 8.3 a month". */
export function totalsText({ alerts, alertsPerMonth, messages, messagesPerMonth }: Statistics): string {
  const rate = (count: number, noun: string, perMonth: number) =>
    `${counted(count, noun)}, ${rateText(perMonth)} a month`;
  return `${rate(alerts, 'alert', alertsPerMonth)}; ${rate(messages, 'message', messagesPerMonth)}`;
}

/** How the rules changed: "2 added, 1 changed in meaning", "none changed". */
export function changedRulesText({ added, removed, changed }: RuleChanges): string {
  const cosmetic = changed.filter(({ startsOver }) => !startsOver).length;
  const counts: [count: number, what: string][] = [
    [added.length, 'added'],
    [removed.length, 'removed'],
    [changed.length - cosmetic, 'changed in meaning'],
    [cosmetic, 'changed otherwise'],
  ];
  const said = counts.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : []));
  return said.length > 0 ? said.join(', ') : 'none changed';
}

/** "12 calls made; in production 94 calls a day, and about 12 per fire". */
export function callsText({ made, perDay }: { made: number; perDay: number }): string {
  const read = made > 0 ? `${counted(made, 'call')} made; in` : 'In';
  return `${read} production ${counted(Math.ceil(perDay), 'call')} a day, and about 12 per fire`;
}

/** How a rule's alerts or receivers changed: "2 new, 1 gone, 3 with a different length". */
export function changeText(each: RuleComparison): string {
  const { before, after, appears, disappears, moved } = each;
  const said = [
    ...(appears.length > 0 ? [`${appears.length} new`] : []),
    ...(disappears.length > 0 ? [`${disappears.length} gone`] : []),
    ...(moved.length > 0 ? [`${moved.length} with a different length`] : []),
  ];
  if (said.length > 0) return said.join(', ');
  const messages = messageRates(each);
  if (messages.before !== messages.after)
    return `the same alerts; messages a month ${rateText(messages.before)} → ${rateText(messages.after)}`;
  return (before?.alerts ?? 0) + (after?.alerts ?? 0) > 0 ? 'the same alerts' : 'no alert';
}

/** "DE", "(none)" for a segment without a name, or empty for the whole rule. */
export function segmentText(segment: string | null): string {
  return segment === '' ? '(none)' : (segment ?? '');
}

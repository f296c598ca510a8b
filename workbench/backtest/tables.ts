import { spanText } from '../../shared/messages/figure-text.ts';
import type { Comparison, RuleComparison } from './compare.ts';
import type { Fire } from './fires.ts';
import type { LabelOutcome } from './hits.ts';
import { foundText, matchCells, movedText, openText, rateText, shareText } from './report-text.ts';
import type { RuleStatistics } from './statistics.ts';

/** The report row of one rule. */
export function ruleCells(rule: RuleStatistics) {
  const { alerts, alertsPerMonth, flaps, unknownShare, hits } = rule;
  return {
    alerts: `${alerts}`,
    aMonth: rateText(alertsPerMonth),
    longest: longestText(rule),
    flaps: `${flaps}`,
    unknown: shareText(unknownShare),
    match: matchCells(hits),
  };
}

/** A fire on the last window has no length yet. */
function longestText({ alerts, openMs, stillOpen }: RuleStatistics): string {
  if (alerts === 0) return '';
  return openMs.longest === 0 && stillOpen > 0 ? 'open' : spanText(openMs.longest);
}

export function incidentCells(outcome: LabelOutcome): { begins: string; title: string; foundBy: string } {
  const begins = `${new Date(outcome.label.startAt).toISOString().slice(0, 16).replace('T', ' ')}Z`;
  return { begins, title: outcome.label.title, foundBy: foundText(outcome) };
}

/** Rates before and after a change; `place` formats a route and its channel. */
export function rateRows(
  { alertsPerMonth, messagesPerMonth, heard }: Comparison,
  place: (each: { route: string; channel: string }) => string,
): [name: string, before: string, after: string][] {
  const row = (name: string, { before, after }: { before: number; after: number }) =>
    [name, rateText(before), rateText(after)] satisfies [string, string, string];
  return [
    row('alerts a month', alertsPerMonth),
    row('messages a month', messagesPerMonth),
    ...heard.map((each) => row(place(each), each)),
  ];
}

/** What a change does to the alerts and keys of one rule. */
export function changeRows(each: RuleComparison, { changed }: Comparison['changes']) {
  const { rule, appears, disappears, moved } = each;
  const fields = changed.find(({ after }) => after.id === rule.id)?.fields ?? [];
  const row = (what: 'new' | 'gone' | 'moved', fire: Fire, open: string) => ({ what, fire, open });
  return {
    fields: fields.map(({ field, before = 'none', after = 'none' }) => ({ field, before, after })),
    fires: [
      ...appears.map((fire) => row('new', fire, openText(fire))),
      ...disappears.map((fire) => row('gone', fire, openText(fire))),
      ...moved.map((pair) => row('moved', pair.after, movedText(pair))),
    ],
  };
}

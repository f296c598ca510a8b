import type { Bounds } from './bounds.ts';
import type { Evaluation } from './evaluation.ts';
import { metricOf } from './metrics.ts';
import type { FigureRule, Rule } from './rule.ts';
import type { Calendar, Window } from './window.ts';

export function boundsText(bounds: Bounds): string {
  const side = (
    name: string,
    text: (value: number) => string,
    given?: { above?: number | undefined; below?: number | undefined },
  ) =>
    [
      ...(given?.above === undefined ? [] : [`${name} above ${text(given.above)}`]),
      ...(given?.below === undefined ? [] : [`${name} below ${text(given.below)}`]),
    ].join(' or ');
  return [
    side('change', percentText, bounds.change),
    side('difference', figure, bounds.difference),
    side('current', figure, bounds.current),
  ]
    .filter(Boolean)
    .join(' and ');
}

// Made once: to make one takes longer than a verdict.
const FIGURE = new Intl.NumberFormat('en-US', {
  maximumFractionDigits: 2,
  maximumSignificantDigits: 2,
  roundingPriority: 'morePrecision',
});
const WHOLE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const PERCENT = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** What a rule watches: "events", "purchase per view_item" or the steps of a funnel. */
export function watchedText(rule: Rule): string {
  if (rule.members) return `whether ${rule.members.needs} of ${rule.members.ruleIds.join(', ')} fire`;
  return rule.funnel?.join(' → ') ?? metricOf(rule).unit;
}

/** "fell from 100 to 40 events (-60 %)": what a window is against its baseline. */
export function movementText(
  { current, baseline, change, difference }: Evaluation,
  rule: FigureRule,
): string {
  const direction = (difference ?? 0) < 0 ? 'fell' : 'rose';
  const by = change === null ? 'new' : percentText(change);
  return `${direction} from ${figure(baseline.value ?? 0)} to ${amountText(current.value, rule)} (${by})`;
}

/** "1,030 events". */
export function amountText(value: number | null, rule: FigureRule): string {
  return value === null ? 'no value' : `${figure(value)} ${metricOf(rule).unit}`;
}

/** 1234.5 as "1,235", 12.345 as "12.35" and 0.0123 as "0.012": decimals only where they say something. */
export function figure(value: number): string {
  return (Math.abs(value) < 100 ? FIGURE : WHOLE).format(value);
}

/** -0.4123 as "-41.2 %". */
export function percentText(ratio: number): string {
  const text = PERCENT.format(ratio * 100);
  return `${ratio > 0 ? '+' : ''}${text} %`;
}

export function pText(p: number): string {
  return p < 0.0001 ? 'under 0.0001' : p.toFixed(4);
}

/** A window as people name it, in its own zone: "Tue 3 Mar 2026, 14:00 to 15:00 (Europe/Berlin)". */
export function windowText({ startAt, endAt }: Window, { grain, zone }: Calendar): string {
  switch (grain) {
    case 'hour':
      return `${dayText(startAt, zone)}, ${timeText(startAt, zone)} to ${timeText(endAt, zone)} (${zone})`;
    case 'day':
      return `${dayText(startAt, zone)} (${zone})`;
    case 'week':
    case 'month':
      return `${dayText(startAt, zone)} to ${dayText(endAt - 1, zone)} (${zone})`;
  }
}

/** "Tue 3 Mar 2026, 14:05 (Europe/Berlin)". */
export function momentText(at: number, zone: string): string {
  return `${dayText(at, zone)}, ${timeText(at, zone)} (${zone})`;
}

function dayText(at: number, timeZone: string): string {
  const parts = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
  return new Intl.DateTimeFormat('en-GB', { ...parts, timeZone }).format(at).replace(',', '');
}

function timeText(at: number, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone }).format(at);
}

/** Where a baseline comes from: "in Tue 3 Mar 2026 (UTC)", "as the median of 4 weeks, the last Tue 3 Mar 2026 (UTC)". */
export function baselineText(
  { origin, baselineWindow }: Pick<Evaluation, 'origin' | 'baselineWindow'>,
  calendar: Calendar,
): string {
  switch (origin.of) {
    case 'window':
      return `in ${windowText(baselineWindow, calendar)}`;
    case 'median': {
      const weeks = origin.windows === 1 ? '1 week' : `${origin.windows} weeks`;
      return `as the median of ${weeks}, the last ${windowText(baselineWindow, calendar)}`;
    }
    case 'model':
      return `as expected for this ${calendar.grain} of the week`;
  }
}

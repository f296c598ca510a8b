import { comparableOf, type Evaluation } from '../evaluation/evaluation.ts';
import type { Baseline } from '../readings/reading.ts';
import type { Bounds } from '../rules/bounds.ts';
import type { FigureRule, Rule } from '../rules/rule.ts';
import { metricOf, type Watched } from '../rules/watched-metric.ts';
import { quoted } from '../text/quoted.ts';
import type { Calendar } from '../time/window.ts';
import { lazy } from '../units/lazy.ts';
import { inWindowText } from './time-text.ts';

/** "change below -40%"; of a ratio, if `watched` is one, "current below 15%". */
export function boundsText(bounds: Bounds, watched?: Watched): string {
  const isShare = watched !== undefined && metricOf(watched).kind === 'ratio';
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
    side('difference', (points) => (isShare ? pointsText(points) : figure(points)), bounds.difference),
    side('current', (level) => measureText(level, isShare), bounds.current),
  ]
    .filter(Boolean)
    .join(' and ');
}

// Created once: creating a formatter takes longer than an evaluation.
const FIGURE = lazy(
  () =>
    new Intl.NumberFormat('en-US', {
      maximumFractionDigits: 2,
      maximumSignificantDigits: 2,
      roundingPriority: 'morePrecision',
    }),
);
const WHOLE = lazy(() => new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 }));
const PERCENT = lazy(() => new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 }));

/** Formatters with an increasing number of decimals. */
const APART = [1, 2, 3, 4, 5, 6].map((digits) =>
  lazy(() => new Intl.NumberFormat('en-US', { maximumFractionDigits: digits })),
);

/** The measured quantity of a rule: "events", "purchase per view_item" or the steps of a funnel. */
export function watchedText(rule: Rule): string {
  if (rule.members) return `whether ${rule.members.needs} of ${rule.members.ruleIds.join(', ')} fire`;
  return rule.funnel?.join(' → ') ?? metricOf(rule).unit;
}

/** "1,030 events", "1 event", "3.1%". */
export function amountText(value: number | null, watched: Watched): string {
  if (value === null) return 'no value';
  const { kind, unit } = metricOf(watched);
  if (kind === 'ratio') return valueText(value, watched);
  return `${valueText(value, watched)} ${value === 1 ? unit.replace(/s(?= per |$)/, '') : unit}`;
}

/** A value without its unit: "1,030"; of a ratio "3.1%"; in a currency "31.40". */
export function valueText(value: number, watched: Watched): string {
  const { kind, unit } = metricOf(watched);
  const money = kind === 'ratio' || Math.abs(value) >= 100 ? undefined : moneyIn(unit);
  return money ? money.format(value) : measureText(value, kind === 'ratio');
}

/** The difference of two printed figures, without its sign, so that a reader gets the same: "67", "1.15", "3.50". */
export function printedDifference(a: string, b: string): string {
  const texts = [a, b].map((text) => text.replaceAll(/[,%]/g, ''));
  const [one = 0, other = 0] = texts.map(Number);
  const decimals = texts.map((text) => text.split('.')[1]?.length ?? 0);
  const most = Math.max(...decimals);
  const isAligned = most >= 2 && decimals.every((each) => each === most);
  if (most === 0) return WHOLE().format(Math.abs(one - other));
  return Math.abs(one - other).toLocaleString('en-US', {
    minimumFractionDigits: isAligned ? most : 0,
    maximumFractionDigits: most,
  });
}

/** 0.021 as "2.1 percentage points". */
export function pointsText(share: number): string {
  return `${figure(share * 100)} percentage points`;
}

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));
const MONEY = new Map<string, Intl.NumberFormat>();

/** The format of small amounts of a unit such as "EUR" or "EUR per session"; `undefined` if it is not a currency. */
function moneyIn(unit: string): Intl.NumberFormat | undefined {
  const [currency = ''] = unit.split(' ');
  if (MONEY.has(currency) || !CURRENCIES.has(currency)) return MONEY.get(currency);
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency });
  const { maximumFractionDigits: digits = 2 } = format.resolvedOptions();
  const money = new Intl.NumberFormat('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  MONEY.set(currency, money);
  return money;
}

/** 0.034 as "3.4%" if it is a ratio, otherwise the number. */
export function measureText(value: number, isShare: boolean): string {
  return isShare ? `${figure(value * 100)}%` : figure(value);
}

/** Rounds to significant decimals: 1234.5 as "1,235", 12.345 as "12.35", 0.0123 as "0.012". */
export function figure(value: number): string {
  return (Math.abs(value) < 100 ? FIGURE : WHOLE)().format(value);
}

/** A limit shown beside a value. Adds digits if both would otherwise round to the same text. */
export function limitText(limit: number, beside: number | null, isShare: boolean): string {
  const text = measureText(limit, isShare);
  if (beside === null || limit === beside || text !== measureText(beside, isShare)) return text;
  const factor = isShare ? 100 : 1;
  const digits = APART.find((format) => format().format(limit * factor) !== format().format(beside * factor));
  return digits ? `${digits().format(limit * factor)}${isShare ? '%' : ''}` : text;
}

/** A partial fall never rounds to -100%. */
const NEARLY_ALL = -0.999;

/** 0.12 as "12%". */
export function shareText(share: number): string {
  return `${PERCENT().format(share * 100)}%`;
}

/** -0.4123 as "-41.2%". */
export function percentText(ratio: number): string {
  const text = PERCENT().format((ratio > -1 ? Math.max(ratio, NEARLY_ALL) : ratio) * 100);
  return `${ratio > 0 ? '+' : ''}${text}%`;
}

/** "45 minutes", "8 hours", "3 days". */
export function spanText(ms: number): string {
  const minutes = Math.max(0, ms) / 60_000;
  const [count, unit] =
    minutes < 60 ? [minutes, 'minute'] : minutes < 48 * 60 ? [minutes / 60, 'hour'] : [minutes / 1440, 'day'];
  const whole = Math.round(count);
  return `${figure(whole)} ${unit}${whole === 1 ? '' : 's'}`;
}

/** ", in 24 hours, which is 1,042 scaled to 25 hours" for an amount of a window of another length; otherwise "". */
export function stretchText(evaluation: Evaluation, rule: FigureRule): string {
  const { current, baseline } = evaluation;
  const comparable = comparableOf(evaluation);
  if (comparable === null || comparable === baseline.value) return '';
  const lengths = [baseline, current].map(({ window }) => window.endAt - window.startAt);
  const spans = lengths.map(spanText);
  const [then, now] = spans[0] === spans[1] ? lengths.map((ms) => `${figure(ms / 3_600_000)} hours`) : spans;
  return `, in ${then}, which is ${valueText(comparable, rule)} scaled to ${now}`;
}

/** "in 5.1.0", "in all other segments". */
export function inSegmentText({ segment }: { segment: string | null }): string {
  return segment === null ? 'in all other segments' : `in ${quoted(segment)}`;
}

/** Where a baseline is from: "on Tue 3 Mar 2026 (UTC)", "as the median of 4 weeks, the last on Tue 3 Mar 2026 (UTC)". */
export function baselineText(
  { origin, window }: Pick<Baseline, 'origin' | 'window'>,
  calendar: Calendar,
): string {
  if (origin.of === 'segments') return `${inSegmentText(origin)}, at the same time`;
  if (origin.of === 'model') return `for this ${calendar.grain} of the week`;
  const when = inWindowText(window, calendar);
  return origin.of === 'median' && origin.windows > 1
    ? `as the median of ${origin.windows} weeks, the last ${when}`
    : when;
}

/** "fires above 8 or below 2". `limit`: writes a limit, or "" for limits that differ from window to window. */
export function firesText(
  { low, high }: { low: number | null; high: number | null },
  limit: (of: number) => string,
): string {
  const sides = [high === null ? '' : `above ${limit(high)}`, low === null ? '' : `below ${limit(low)}`];
  return `fires ${sides
    .map((side) => side.trim())
    .filter(Boolean)
    .join(' or ')}`;
}

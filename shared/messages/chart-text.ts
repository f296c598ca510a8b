import { bandOf, type ExpectedBand } from '../evaluation/expected-limits.ts';
import type { PendingNotification } from '../notifications/pending.ts';
import { counted } from '../text/counted.ts';
import { quoted } from '../text/quoted.ts';
import { type Chart, type ChartPoint, type Subject, subjectOf } from './chart.ts';
import { evaluatedIn } from './facts.ts';
import { firesText, limitText, measureText } from './figure-text.ts';
import { windowText } from './time-text.ts';

export function altText(chart: Chart): string {
  const { calendar, points, breached } = chart;
  const last = points.at(-1) ?? points[0];
  const isBreached = breached.some(({ endAt }) => endAt === last.window.endAt);
  const since = windowText(points[0].window, { ...calendar, grain: 'day' });
  const earlier = breached.length - (isBreached ? 1 : 0);
  return [
    `${subjectText(chart)} since ${since}.`,
    lastSentence(chart, last, isBreached),
    ...(earlier > 0 ? [`${counted(earlier, 'earlier window')} breached.`] : []),
  ].join(' ');
}

/** The end of the last window of a notification's chart, and its alternative text; `undefined` without a chart. */
export function picturedIn(
  pending: Pick<PendingNotification, 'alert' | 'notification' | 'rule'>,
): { throughAt: number; alt: string } | undefined {
  const { alert, notification, rule } = pending;
  const evaluation = evaluatedIn(pending)?.evaluation ?? notification.evaluation;
  if (!evaluation || !rule || rule.members) return undefined;
  const { verdict } = evaluation;
  const { window, value } = evaluation.current;
  const band = bandOf(rule, evaluation);
  const subject = subjectOf(rule, alert.segment);
  const last = lastSentence(subject, { window, value, band }, verdict === 'breached');
  return { throughAt: window.endAt, alt: `${subjectText(subject)}. ${last}` };
}

/** "Purchases, by country: France: events, each day". */
function subjectText({ title, part, unit, calendar }: Subject): string {
  const names = part === null ? [title] : [title, part];
  return `${names.map(quoted).join(': ')}: ${unit}, each ${calendar.grain}`;
}

function lastSentence(subject: Subject, point: ChartPoint, isBreached: boolean): string {
  return `Last window, ${windowText(point.window, subject.calendar)}: ${pointText(subject, point, isBreached)}.`;
}

/** "629, expected 2,956 (at least 2,069), breached". */
export function pointText({ isShare }: Subject, { value, band }: ChartPoint, isBreached: boolean): string {
  const found = value === null ? 'no value' : measureText(value, isShare);
  const text = band && expectedText(band, isShare, value);
  const expected = text ? `, ${band.expected === null ? text : `expected ${text}`}` : '';
  return `${found}${expected}${isBreached ? ', breached' : ''}`;
}

/**
 * "100 (70 to 130)", "100 (at least 70)"; "at most 1" if the expected value itself exceeds that limit. Of a plain
 * threshold "fires above 8".
 */
export function expectedText(
  { expected, low, high }: ExpectedBand,
  isShare: boolean,
  found: number | null = null,
): string {
  const limit = (of: number) => limitText(of, found, isShare);
  if (expected === null) return firesText({ low, high }, limit);
  const limits = limitsText(low, high, limit);
  if (expected < (low ?? -Infinity) || expected > (high ?? Infinity)) return limits;
  const middle = measureText(expected, isShare);
  return limits === '' ? middle : `${middle} (${limits})`;
}

function limitsText(low: number | null, high: number | null, limit: (of: number) => string): string {
  if (low !== null && high !== null) return `${limit(low)} to ${limit(high)}`;
  if (low !== null) return `at least ${limit(low)}`;
  return high === null ? '' : `at most ${limit(high)}`;
}

import { html } from 'hono/html';
import type { Alert } from '../../../shared/alerts/alert.ts';
import { amountText, valueText } from '../../../shared/messages/figure-text.ts';
import type { Html } from '../../../shared/pages/html.ts';
import { sparkline } from '../../../shared/pages/sparkline.ts';
import type { FigureRule, Rule } from '../../../shared/rules/rule.ts';
import { counted } from '../../../shared/text/counted.ts';
import { segmentText, shownValue } from './alert-parts.ts';

type Shown = Pick<Alert, 'segment' | 'lastWindows' | 'largestSegment'>;

/** The last windows of an alert as a small line. Empty for composite rules, and before two windows have a value. */
export function spark(alert: Shown, rule: Rule | undefined): Html | '' {
  if (!rule || rule.members) return '';
  return sparkline(alert.lastWindows, sparkText(alert, rule));
}

/** The small line, its last value, and the segment that it is about. */
export function sparkCell(alert: Shown, rule: Rule): Html | string {
  const line = spark(alert, rule);
  if (line === '' || rule.members) return '–';
  const segment = segmentOf(alert);
  const last = shownValue(alert.lastWindows.at(-1)?.value ?? null, rule);
  return html`${line}<span class="figure">${last}</span>${segment !== null && html` <span class="quiet"><bdi>${segmentText(segment)}</bdi></span>`}`;
}

/** "DE, last 24 days: 205 to 1,051, last 205 events, 2 breached". */
export function sparkText(alert: Shown, rule: FigureRule): string {
  const { lastWindows } = alert;
  const values = lastWindows.flatMap(({ value }) => value ?? []);
  const [low, high] = [Math.min(...values), Math.max(...values)].map((value) => valueText(value, rule));
  const segment = segmentOf(alert);
  const breaches = lastWindows.filter(({ verdict }) => verdict === 'breached').length;
  const span = `last ${counted(lastWindows.length, rule.window)}`;
  const last = amountText(lastWindows.at(-1)?.value ?? null, rule);
  return [
    ...(segment === null ? [] : [segmentText(segment)]),
    `${span}: ${low} to ${high}`,
    `last ${last}`,
    ...(breaches > 0 ? [`${breaches} breached`] : []),
  ].join(', ');
}

/** The segment that the windows are about: of a whole rule, its largest. */
function segmentOf({ segment, largestSegment }: Shown): string | null {
  return segment ?? largestSegment ?? null;
}

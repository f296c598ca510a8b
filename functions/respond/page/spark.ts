import { html } from 'hono/html';
import type { Alert, LastWindow } from '../../../shared/alerts/alert.ts';
import { amountText, valueText } from '../../../shared/messages/figure-text.ts';
import type { Html } from '../../../shared/pages/html.ts';
import { sparkline } from '../../../shared/pages/sparkline.ts';
import type { FigureRule, Rule } from '../../../shared/rules/rule.ts';
import { counted } from '../../../shared/text/counted.ts';
import { segmentText, shownValue } from './alert-parts.ts';

type Shown = Pick<Alert, 'segment' | 'lastWindows' | 'largestSegment'>;

/** The last windows of an alert as a small line. Empty for composite rules, and before two windows have a value. */
export function spark(
  alert: Shown,
  rule: Rule | undefined,
  size?: { width: number; height: number },
): Html | '' {
  if (!rule || rule.members) return '';
  const points = alert.lastWindows.map((each) => ({ value: each.value, isMarked: isBreach(each) }));
  return sparkline(points, sparkText(alert, rule), size);
}

/** The small line, its last value, what it is about, and how many of its windows breached. */
export function sparkCell(alert: Shown, rule: Rule): Html | string {
  const line = spark(alert, rule);
  if (line === '') return '–';
  const { lastWindows } = alert;
  const breaches = lastWindows.filter(isBreach).length;
  const segment = segmentOf(alert);
  const name = segment !== null && html`<bdi>${segmentText(segment)}</bdi>`;
  const verdicts =
    breaches > 0 && html` <span class="quiet">${breaches} of ${lastWindows.length} breached</span>`;
  const last =
    !rule.members && html`<span class="figure">${shownValue(lastWindows.at(-1)?.value ?? null, rule)}</span>`;
  return html`${line}${last}${name && html` <span class="quiet">${name}</span>`}${verdicts}`;
}

/** "DE, last 24 days: 205 to 1,051, last 205 events, 2 breached". */
export function sparkText(alert: Shown, rule: FigureRule): string {
  const { lastWindows } = alert;
  const values = lastWindows.flatMap(({ value }) => value ?? []);
  const [low, high] = [Math.min(...values), Math.max(...values)].map((value) => valueText(value, rule));
  const segment = segmentOf(alert);
  const breaches = lastWindows.filter(isBreach).length;
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

function isBreach({ verdict }: LastWindow): boolean {
  return verdict === 'breached';
}

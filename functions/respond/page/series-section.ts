import { html } from 'hono/html';
import type { Alert } from '../../../shared/alerting/alert.ts';
import type { ReadingStore } from '../../../shared/alerting/ports.ts';
import type { Rule } from '../../../shared/alerting/rule.ts';
import { chartOf } from './chart.ts';
import type { Html } from './html.ts';
import { loadPoints } from './series-points.ts';

/** The last windows of one series, drawn; nothing for a rule on other rules, which has no figures. */
export async function loadChart(
  rule: Rule,
  alert: Alert | undefined,
  now: number,
  readings: ReadingStore,
): Promise<Html | undefined> {
  if (!alert || rule.members) return undefined;
  return html`${chartOf(rule, alert, await loadPoints(rule, alert.segment, now, readings))}`;
}

import { html } from 'hono/html';
import type { Alert } from '../../../shared/alerting/alerts/alert.ts';
import type { Rule } from '../../../shared/alerting/rules/rule.ts';
import type { Html } from '../../../shared/pages/html.ts';
import { loadChart, type PictureDeps } from '../pictures.ts';
import { chartFigure } from './chart.ts';

/** The chart of the recent windows of a series. `undefined` for composite rules, which have no figures. */
export async function loadFigure(
  rule: Rule,
  alert: Alert | undefined,
  now: number,
  deps: Omit<PictureDeps, 'rules'>,
): Promise<Html | undefined> {
  if (!alert || rule.members) return undefined;
  // A closed window that is not evaluated yet must not appear as missing data.
  const throughAt = alert.last?.window.endAt ?? now - rule.settle * 60_000;
  const chart = await loadChart({ rule, segment: alert.segment, throughAt }, alert, deps);
  return chart ? chartFigure(chart) : html`<p class="empty">No data is stored yet.</p>`;
}

import { html } from 'hono/html';
import type { Alert } from '../../../shared/alerting/alerts/alert.ts';
import type { Rule } from '../../../shared/alerting/rules/rule.ts';
import type { Html } from '../../../shared/pages/html.ts';
import { loadChart, type PictureDeps } from '../pictures.ts';
import { chartFigure } from './chart.ts';

/** The last windows of one series that were looked at, drawn; nothing for a rule on other rules, which has no figures. */
export async function loadFigure(
  rule: Rule,
  alert: Alert | undefined,
  now: number,
  deps: Omit<PictureDeps, 'rules'>,
): Promise<Html | undefined> {
  if (!alert || rule.members) return undefined;
  // A window that is over and was not looked at yet would look like one without data.
  const throughAt = alert.last?.window.endAt ?? now - rule.settle * 60_000;
  const chart = await loadChart({ rule, segment: alert.segment, throughAt }, alert, deps);
  return chart ? chartFigure(chart) : html`<p class="empty">No readings were kept yet.</p>`;
}

import { html } from 'hono/html';
import type { Alert } from '../../../shared/alerts/alert.ts';
import type { AlertStore } from '../../../shared/alerts/alert-store.ts';
import { rulePath } from '../../../shared/messages/page-paths.ts';
import type { Html } from '../../../shared/pages/html.ts';
import { groupText } from '../../../shared/rules/group-by.ts';
import { type FigureRule, hasSegments, type Rule } from '../../../shared/rules/rule.ts';
import { metricOf } from '../../../shared/rules/watched-metric.ts';
import { changeText, segmentTag, shownValue } from './alert-parts.ts';
import { spark } from './spark.ts';

/** Apps on the overview. The list of rules has the rest. */
const APPS = 12;
const SIZE = { width: 240, height: 40 };

/** The main rule of an app, with the alert of the whole rule. */
export interface AppChart {
  rule: FigureRule;
  alert: Alert;
}

/** The main rules of the first apps by name, as far as they were evaluated. One read for all. */
export async function loadAppCharts(rules: Rule[], alerts: Pick<AlertStore, 'load'>): Promise<AppChart[]> {
  const byApp = Map.groupBy(rules, ({ app }) => app);
  const apps = [...byApp.keys()].toSorted().slice(0, APPS);
  const mains = apps.flatMap((app) => mainRule(byApp.get(app) ?? []) ?? []);
  const loaded = await alerts.load(mains.map(({ id }) => ({ ruleId: id, segment: null })));
  const byRule = new Map(loaded.map((alert) => [alert.ruleId, alert]));
  return mains.flatMap((rule) => {
    const alert = byRule.get(rule.id);
    return alert ? [{ rule, alert }] : [];
  });
}

/** The rule that tells most about an app: a count without segments and with the fewest filters. */
export function mainRule(rules: Rule[]): FigureRule | undefined {
  const figures = rules.filter((rule): rule is FigureRule => !rule.members);
  const rank = (rule: FigureRule) =>
    (hasSegments(rule) ? 100 : 0) + (metricOf(rule).kind === 'count' ? 0 : 50) + rule.filters.length;
  return figures.toSorted((a, b) => rank(a) - rank(b))[0];
}

/** A small chart for each app, linked to its rule. Empty while no app has one. */
export function appCharts(charts: AppChart[]): Html {
  const drawn = charts.map(({ rule, alert }) => ({ rule, alert, line: spark(alert, rule, SIZE) }));
  const shown = drawn.filter(({ line }) => line !== '');
  if (shown.length === 0) return html``;
  return html`<section><h2>Apps</h2>
<ul class="apps">${shown.map(
    ({ rule, alert, line }) => html`<li><h3>${rule.app}</h3>
${line}
<p><a href="${rulePath(rule.id)}">${rule.title}</a>${alert.largestSegment !== undefined && html` ${segmentTag(alert.largestSegment, groupText(rule))}`}</p>
<p class="quiet">${lastFigure(alert, rule)}</p></li>`,
  )}</ul></section>`;
}

function lastFigure({ last, lastWindows }: Alert, rule: FigureRule): Html {
  const value = last?.current.value ?? lastWindows.at(-1)?.value ?? null;
  return html`<strong>${shownValue(value, rule)}</strong> ${metricOf(rule).unit}${last && html` ${changeText({ last })}`}`;
}

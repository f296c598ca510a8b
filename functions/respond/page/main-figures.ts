import { html } from 'hono/html';
import type { AlertStore } from '../../../shared/alerts/alert-store.ts';
import { rulePath } from '../../../shared/messages/page-paths.ts';
import type { Html } from '../../../shared/pages/html.ts';
import type { Watched } from '../../../shared/responding/alert-status.ts';
import { type FigureRule, hasSegments, type Rule } from '../../../shared/rules/rule.ts';
import { SEVERITIES } from '../../../shared/rules/rule-schema.ts';
import { metricOf } from '../../../shared/rules/watched-metric.ts';
import { changeText } from './alert-parts.ts';
import { sparkCell } from './spark.ts';

/** Figures of one app, and apps: about one screen. */
const FIGURES = 4;
const APPS = 6;

/** The rules that say most about each app as a whole: without groups, then with few filters, then severe ones. */
function mainRules(rules: Rule[]): FigureRule[] {
  const severity = (rule: Rule) => SEVERITIES.indexOf(rule.severity);
  const watched = rules.filter((rule): rule is FigureRule => !rule.members);
  const sorted = watched.toSorted(
    (a, b) =>
      Number(hasSegments(a)) - Number(hasSegments(b)) ||
      a.filters.length - b.filters.length ||
      severity(b) - severity(a),
  );
  const byApp = [...Map.groupBy(sorted, ({ app }) => app).values()];
  return byApp.slice(0, APPS).flatMap((same) => same.slice(0, FIGURES));
}

export type MainFigure = Watched & { rule: FigureRule };

export async function loadMainFigures(
  rules: Rule[],
  alerts: Pick<AlertStore, 'load'>,
): Promise<MainFigure[]> {
  const main = mainRules(rules);
  const loaded = await alerts.load(main.map(({ id }) => ({ ruleId: id, segment: null })));
  return main.flatMap((rule) => {
    const alert = loaded.find(({ ruleId }) => ruleId === rule.id);
    return alert?.lastWindows.length ? [{ rule, alert }] : [];
  });
}

/** The last windows of the main figures, by app. */
export function mainFigures(figures: MainFigure[]): Html | string {
  if (figures.length === 0) return '';
  const byApp = Map.groupBy(figures, ({ rule }) => rule.app);
  return html`<section id="figures"><h2>Main figures</h2>
${[...byApp].map(([app, same]) => html`<h3>${app}</h3><ul class="tiles">${same.map(tile)}</ul>`)}</section>`;
}

function tile({ rule, alert }: MainFigure): Html {
  const change = hasSegments(rule) ? '' : changeText(alert, rule);
  return html`<li><a href="${rulePath(rule.id)}">${rule.title}</a> ${sparkCell(alert, rule)} <span class="quiet">${metricOf(rule).unit}</span> <span class="change">${change}</span></li>`;
}

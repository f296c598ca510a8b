import { html } from 'hono/html';
import type { Alert } from '../../../shared/alerts/alert.ts';
import { unmatchedSince } from '../../../shared/alerts/matches-nothing.ts';
import { alertPath } from '../../../shared/messages/page-paths.ts';
import { healthText } from '../../../shared/messages/reason-text.ts';
import type { Routes } from '../../../shared/notifications/routes.ts';
import type { Html, View } from '../../../shared/pages/html.ts';
import { table } from '../../../shared/pages/table.ts';
import { seenAt, type Viewer } from '../../../shared/pages/time.ts';
import { groupText } from '../../../shared/rules/group-by.ts';
import { hasSegments, type Rule } from '../../../shared/rules/rule.ts';
import { badge, changeText, movement, segmentTag, segmentText, stateBadges } from './alert-parts.ts';
import { exploreTag } from './explore-link.ts';
import { definition, ruleIdText } from './rule-text.ts';
import type { Figure } from './series-section.ts';

/** Rows of the table of segments. */
const SEGMENTS = 100;

/** The data of the page of one rule, with a chart of its series. */
export interface RuleScene {
  rule: Rule;
  routes: Routes;
  /** The alert of the whole rule, which stores its health. `undefined` before the first run. */
  whole: Alert | undefined;
  /** The alerts that can fire, most severe first: one for each segment, or one for the whole rule. */
  series: Alert[];
  /** Those in the chart. */
  chosen: Alert[];
  /** `undefined` if there is nothing to draw. */
  figure: Figure | undefined;
  /** The URL of the rule's line in its repository. */
  sourceLink?: string | undefined;
}

export function ruleView(scene: RuleScene, viewer: Viewer): View {
  const { rule, routes, whole, series, sourceLink } = scene;
  const [alert] = series;
  const body = html`<p class="crumbs"><a href="/rules">Rules</a>${exploreTag(rule, null, viewer)}</p>
<h1>${rule.title}</h1>
<p class="badges">${alert ? stateBadges(alert) : badge('not evaluated yet')} ${ruleIdText(rule.id, sourceLink)}</p>
${whole && healthNote(whole, rule, viewer)}
${whole && unmatchedNote(whole, rule, viewer)}
${alert && seriesSection(alert, scene)}
${hasSegments(rule) && series.length > 0 && segmentsSection(rule, series, viewer)}
<section id="definition"><h2>Definition</h2>${definition(rule, routes, viewer)}</section>`;
  return { title: rule.title, body };
}

function healthNote({ health, evaluatedThroughAt }: Alert, rule: Rule, viewer: Viewer): Html {
  const evaluated = html`<p class="quiet">Evaluated through ${seenAt(evaluatedThroughAt, viewer, rule.zone)}</p>`;
  if (health.kind === 'ok') return evaluated;
  const streak = health.kind === 'inconclusive' ? '' : ` (${health.streak} consecutive failures)`;
  return html`<p class="notice"><strong>Cannot be evaluated</strong> since ${seenAt(health.since, viewer, rule.zone)}${streak}: ${healthText(health.reason, rule.zone)}</p>${evaluated}`;
}

function unmatchedNote({ unmatched }: Alert, rule: Rule, viewer: Viewer): Html | undefined {
  const since = unmatchedSince(unmatched, viewer.now);
  if (since === undefined) return undefined;
  return html`<p class="notice"><strong>Has matched nothing</strong> since ${seenAt(since, viewer, rule.zone)}: no window has had a value. <code>npx deltawatch check --live</code> lists the events, values and groups that exist.</p>`;
}

function seriesSection(alert: Alert, { rule, chosen, figure }: RuleScene): Html {
  const [{ segment } = alert, ...others] = chosen;
  const heading = figure && !figure.isLast ? 'Earlier windows' : 'Recent windows';
  return html`<section id="series">
<h2>${heading}${segment !== null && others.length === 0 && html` of ${segmentTag(segment, groupText(rule))}`}</h2>
${figure?.drawn}
<p><a href="${alertPath(alert)}">Last evaluation, history and answers</a></p>
</section>`;
}

function segmentsSection(rule: Rule, series: Alert[], viewer: Viewer): Html {
  const rows = series
    .slice(0, SEGMENTS)
    .map((alert) => [
      html`<a href="${alertPath(alert)}"><bdi>${segmentText(alert.segment ?? '')}</bdi></a>`,
      stateBadges(alert),
      movement(alert, rule),
      changeText(alert, rule),
      seenAt(alert.stateSinceAt, viewer, rule.zone),
    ]);
  const headings = [groupText(rule) || 'step', 'State', 'Baseline → last window', 'Change', 'Since'];
  return html`<section id="segments"><h2>Segments</h2>${table(`Segments of ${rule.title}`, headings, rows)}
${series.length > SEGMENTS && html`<p class="quiet">${series.length - SEGMENTS} more, none more severe</p>`}</section>`;
}

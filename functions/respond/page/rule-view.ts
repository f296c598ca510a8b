import { html } from 'hono/html';
import type { Alert } from '../../../shared/alerting/alert.ts';
import type { Routes } from '../../../shared/alerting/routes.ts';
import { hasSegments, type Rule } from '../../../shared/alerting/rule.ts';
import {
  badge,
  changeText,
  movement,
  segmentTag,
  segmentText,
  seriesPath,
  stateBadges,
} from './alert-parts.ts';
import { chartOf } from './chart.ts';
import { evaluationSection } from './evaluation-section.ts';
import type { Html, View } from './html.ts';
import { definition } from './rule-words.ts';
import type { Point } from './series-points.ts';
import type { RuleStatus } from './snapshot.ts';
import { table } from './table.ts';
import { moment, withTimes } from './time.ts';

/** One rule, seen at `now`, with the series that is looked at more closely. */
export interface RuleScene {
  status: RuleStatus;
  routes: Routes;
  /** The series that is charted; `undefined` until one was judged. */
  alert: Alert | undefined;
  points: Point[];
  now: number;
}

export function ruleView({ status, routes, alert, points, now }: RuleScene): View {
  const { rule, whole, series } = status;
  const body = html`<p class="crumbs"><a href="/rules">Rules</a></p>
<h1>${rule.title}</h1>
<p class="badges">${series[0] ? stateBadges(series[0]) : badge('unseen')}${whole && html` ${healthBadge(whole)}`} <code>${rule.id}</code></p>
${whole && healthNote(whole, rule, now)}
${alert && seriesSection(rule, alert, points, now)}
${hasSegments(rule) && series.length > 0 && segmentsSection(rule, series, alert, now)}
<section><h2>Definition</h2>${definition(rule, routes, now)}</section>`;
  return { title: rule.title, body };
}

function healthBadge({ health }: Alert): Html {
  return html`<span class="quiet">health</span> ${badge(health.kind)}`;
}

function healthNote({ health, judgedThroughAt }: Alert, rule: Rule, now: number): Html {
  const judged = html`<p class="quiet">Judged through ${moment(judgedThroughAt, rule.zone, now)}</p>`;
  if (health.kind === 'ok') return judged;
  const streak = health.kind === 'inconclusive' ? '' : ` (${health.streak} times in a row)`;
  return html`<p class="notice"><strong>Cannot be checked</strong> since ${moment(health.since, rule.zone, now)}${streak}: ${withTimes(health.reason, rule.zone)}</p>${judged}`;
}

function seriesSection(rule: Rule, alert: Alert, points: Point[], now: number): Html {
  const { segment } = alert;
  return html`<section id="series">
<h2>${segment === null ? 'The last windows' : html`The last windows of ${segmentTag(segment, rule.group_by)}`}</h2>
${rule.members ? '' : chartOf(rule, alert, points)}
</section>
${alert.last ? evaluationSection(rule, alert.last, now) : html`<p class="empty">No window was judged yet.</p>`}`;
}

function segmentsSection(rule: Rule, series: Alert[], shown: Alert | undefined, now: number): Html {
  const rows = series.map((alert) => [
    alert === shown
      ? html`<strong aria-current="true">${segmentText(alert.segment ?? '')}</strong> <span class="quiet">shown above</span>`
      : html`<a href="${seriesPath(alert)}">${segmentText(alert.segment ?? '')}</a>`,
    stateBadges(alert),
    movement(alert, rule),
    changeText(alert),
    moment(alert.stateSinceAt, rule.zone, now),
  ]);
  const headings = [
    rule.group_by ?? 'step',
    'State',
    'Before → last window',
    'Change',
    'In this state since',
  ];
  return html`<section><h2>Segments</h2>${table(`Segments of ${rule.title}`, headings, rows)}</section>`;
}

import { html } from 'hono/html';
import { cadenceName, nextRun } from '../../../shared/alerting/cadence.ts';
import type { Evaluation } from '../../../shared/alerting/evaluation.ts';
import { alertPath, rulePath } from '../../../shared/alerting/page-paths.ts';
import type { Delivery, LastTick } from '../../../shared/alerting/ports.ts';
import type { FigureRule, Rule } from '../../../shared/alerting/rule.ts';
import type { Silence } from '../../../shared/alerting/silences.ts';
import { badge, changeText, figures, segmentTag, stateBadges, titleOf } from './alert-parts.ts';
import { custody } from './custody.ts';
import { deliveryLines } from './deliveries-view.ts';
import type { Html, View } from './html.ts';
import type { OwedMessage } from './owed.ts';
import type { Progress } from './progress.ts';
import {
  type Ailing,
  ailingIn,
  isWrong,
  type Standing,
  stoppedApps,
  type Watched,
  watchedIn,
} from './standing.ts';
import { counted, table } from './table.ts';
import { seenAt, type Viewer, windowFor, withTimes } from './time.ts';

/** More than fit a screen help nobody; the rest is a link away. */
const CARDS = 24;
const ROWS = 20;
export const LAST_DELIVERIES = 5;

/** What the overview tells of besides what stands. */
export interface Overview {
  standing: Standing;
  ticks: LastTick[];
  owed: OwedMessage[];
  deliveries: Delivery[];
  progress: Progress;
}

/** What is wrong now, since when, and who has it; what cannot be told; what is still to be said. */
export function overview(seen: Overview, viewer: Viewer): View {
  const { standing, progress, deliveries } = seen;
  const owed = seen.owed.filter(({ waits }) => waits === 'due');
  const watched = watchedIn(standing);
  const wrong = watched.filter(isWrong);
  const ailing = ailingIn(standing);
  const body = html`<h1>${headline(seen, wrong.length, ailing.length)}</h1>
${progress.phase === 'catching-up' && progressPanel(progress)}
${outlook(seen, viewer)}
${standing.rules.length > 0 && tilesOf(seen, watched, ailing.length)}
${wrong.length > 0 && cards(wrong, viewer, standing.silences)}
${ailing.length > 0 && ailingSection(ailing, viewer)}
${deliveries.length > 0 && html`<section><h2>Last deliveries</h2>${deliveryLines(deliveries.slice(0, LAST_DELIVERIES), standing.byId, viewer)}<p><a href="/deliveries">All deliveries${owed.length > 0 && `, and ${counted(owed.length, 'message')} still to be sent`}</a></p></section>`}`;
  return { title: 'Overview', body, ...(progress.phase === 'catching-up' && { refreshSeconds: 2 }) };
}

/** A rule that cannot be checked is never passed over as "nothing is wrong". */
function headline(seen: Overview, wrong: number, ailing: number): string {
  if (!isJudged(seen)) return 'Nothing to tell yet';
  const stopped = stoppedApps(seen.standing);
  const moved = wrong - stopped.length;
  const parts = [
    ...stopped.map((app) => `no data from ${app}`),
    ...(moved > 0 ? [`${counted(moved, 'alert')} open`] : []),
    ...(ailing > 0 ? [`${counted(ailing, 'rule')} cannot be checked`] : []),
  ];
  const text = parts.join(', ') || 'nothing is wrong';
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function isJudged({ ticks, standing }: Overview): boolean {
  return standing.rules.length > 0 && (ticks.length > 0 || standing.open.length > 0);
}

/** In one sentence: what is watched, and when it is looked at next. */
function outlook(seen: Overview, viewer: Viewer): Html {
  const { rules } = seen.standing;
  const next = nextLook(rules, viewer.now);
  if (!next)
    return html`<p class="empty">No rules are deployed. Once there are, this page says what moved more than it should, which rules cannot be checked, and what is still to be sent.</p>`;
  return html`<p class="lead">${counted(rules.length, 'rule')} in force; the next look is at ${seenAt(next.at, viewer, next.zone)}.${
    !isJudged(seen) &&
    ' Then this page says what moved more than it should, which rules cannot be checked, and what is still to be sent.'
  }</p>`;
}

/** When any rule is looked at next. Many rules share a cadence, which is not cheap to follow. */
function nextLook(rules: Rule[], now: number): { at: number; zone: string } | undefined {
  const cadences = new Map(rules.map((rule) => [cadenceName(rule.cadence), rule]));
  return [...cadences.values()]
    .map(({ cadence, zone }) => ({ at: nextRun(cadence, now), zone }))
    .toSorted((a, b) => a.at - b.at)[0];
}

function progressPanel({ step, done, total, note }: Extract<Progress, { phase: 'catching-up' }>): Html {
  const percent = total > 0 ? Math.floor((100 * Math.min(done, total)) / total) : 0;
  return html`<section class="panel" aria-label="Progress">
<p><label for="progress"><strong>${step}</strong></label> <span class="quiet">${percent} %</span></p>
<progress id="progress" max="100" value="${percent}">${percent} %</progress>
${note !== undefined && html`<p class="quiet">${note}</p>`}</section>`;
}

/** The state of the whole in a few figures, each a way to what it counts. */
function tilesOf({ standing, owed: all }: Overview, watched: Watched[], ailing: number): Html {
  const owed = all.filter(({ waits }) => waits === 'due');
  const wrong = watched.filter(isWrong);
  const free = wrong.filter(({ alert }) => alert.acknowledged === null).length;
  const pending = watched.filter(({ alert }) => alert.state === 'pending').length;
  const tiles = [
    ['/alerts', wrong.length, 'open', wrong.length > 0 ? 'bad' : 'good'],
    ['/alerts?who=nobody', free, 'that nobody has', free > 0 ? 'warn' : 'good'],
    ['/alerts?state=pending', pending, 'may begin to fire', 'plain'],
    ['/health#rules', ailing, 'cannot be checked', ailing > 0 ? 'bad' : 'good'],
    [
      '/deliveries',
      owed.length,
      'still to be sent',
      owed.some(({ debt }) => debt.attempts > 0) ? 'warn' : 'plain',
    ],
    [
      '/silences',
      standing.silences.length,
      standing.silences.length === 1 ? 'silence holds' : 'silences hold',
      'plain',
    ],
  ] as const;
  return html`<ul class="tiles">${tiles.map(
    ([href, count, what, tone]) =>
      html`<li><a class="tile ${count === 0 ? 'none' : tone}" href="${href}"><strong>${count}</strong> <span>${what}</span></a></li>`,
  )}</ul>`;
}

function cards(wrong: Watched[], viewer: Viewer, silences: Silence[]): Html {
  return html`<h2 class="hidden">What is wrong now</h2>
<ul class="cards">${wrong.slice(0, CARDS).map((each) => card(each, viewer, silences))}</ul>
${wrong.length > CARDS && html`<p><a href="/alerts">and ${wrong.length - CARDS} more</a></p>`}`;
}

function card({ rule, alert }: Watched, viewer: Viewer, silences: Silence[]): Html {
  const { last, fired, stateSinceAt, segment } = alert;
  const zone = rule?.zone ?? 'UTC';
  return html`<li class="card ${alert.state}">
<p class="badges">${stateBadges(alert)} ${badge(rule?.severity ?? 'critical')}</p>
<h3><a href="${alertPath(alert)}">${titleOf({ ...alert, segment: null }, rule)}</a></h3>
${segment !== null && html`<p>${segmentTag(segment, rule?.group_by)}</p>`}
${last && rule && (rule.members ? html`<p class="movement">${last.reason}</p>` : lastWindow(rule, last, viewer))}
<p class="quiet">Since ${seenAt(fired?.windowEndAt ?? stateSinceAt, viewer, zone)}</p>
<p class="custody">${custody({ alert, rule }, viewer, silences)}</p>
</li>`;
}

function lastWindow(rule: FigureRule, last: Evaluation, viewer: Viewer): Html {
  return html`<p class="movement">${figures(last, rule)}</p>
<p class="change">${changeText({ last })} <span class="quiet">in ${windowFor(last.window, rule, viewer)}</span></p>`;
}

function ailingSection(ailing: Ailing[], viewer: Viewer): Html {
  return html`<section><h2>Cannot be checked</h2>
<p class="quiet">Nothing here is taken for “all clear”: the same windows are tried again at the next run.</p>
${ailingTable(ailing.slice(0, ROWS), viewer)}
${ailing.length > ROWS && html`<p><a href="/health#rules">and ${ailing.length - ROWS} more</a></p>`}</section>`;
}

export function ailingTable(ailing: Ailing[], viewer: Viewer): Html {
  const rows = ailing.map(({ rule, ails, since, why }) => [
    html`<a href="${rulePath(rule.id)}">${rule.title}</a>`,
    badge(ails),
    withTimes(why, viewer.zone ?? rule.zone),
    seenAt(since, viewer, rule.zone),
  ]);
  return table('Rules that cannot be checked', ['Rule', 'Health', 'Why', 'Since'], rows);
}

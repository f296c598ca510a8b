import { html } from 'hono/html';
import type { AlertStore } from '../../../shared/alerts/alert-store.ts';
import type { Move } from '../../../shared/alerts/moves.ts';
import { sinceOf } from '../../../shared/alerts/open-alert.ts';
import type { Evaluation } from '../../../shared/evaluation/evaluation.ts';
import { momentsIn } from '../../../shared/messages/figure-text.ts';
import { alertPath } from '../../../shared/messages/page-paths.ts';
import { verdictText } from '../../../shared/messages/verdict-text.ts';
import type { Delivery } from '../../../shared/notifications/delivery-log.ts';
import type { Html, View } from '../../../shared/pages/html.ts';
import type { Progress } from '../../../shared/pages/progress.ts';
import { inWindowFor, seenAt, type Viewer } from '../../../shared/pages/time.ts';
import type { LastTick } from '../../../shared/planning/run-store.ts';
import {
  type FailingRule,
  failingRulesIn,
  isOpenOrFlapping,
  type Listed,
  loadListed,
  type Status,
  stoppedApps,
  unreadIn,
  type Watched,
  watchedIn,
} from '../../../shared/responding/alert-status.ts';
import type { PendingMessage } from '../../../shared/responding/pending-messages.ts';
import { groupText } from '../../../shared/rules/group-by.ts';
import type { FigureRule, Rule } from '../../../shared/rules/rule.ts';
import type { Silence } from '../../../shared/silences/silence.ts';
import { counted } from '../../../shared/text/counted.ts';
import { cadenceName, nextRun } from '../../../shared/time/cadence.ts';
import {
  acknowledgement,
  badge,
  changeText,
  figures,
  segmentTag,
  stateBadges,
  titleOf,
} from './alert-parts.ts';
import { type AppChart, appCharts } from './app-charts.ts';
import { deliveryLines } from './deliveries-view.ts';
import { failingTable } from './health-view.ts';
import { movesSection } from './moves-section.ts';
import { spark } from './spark.ts';
import { unreadNote } from './unread-note.ts';

/** Rows of the table of failing rules. The health page has the rest. */
const ROWS = 20;
export const LAST_DELIVERIES = 5;

/** The data of the overview. */
export interface Overview {
  status: Status;
  /** The most severe open alerts. */
  mostSevere: Watched[];
  apps: AppChart[];
  moves: Move[];
  ticks: LastTick[];
  pending: PendingMessage[];
  deliveries: Delivery[];
  progress: Progress;
}

export function loadMostSevere(status: Status, alerts: Pick<AlertStore, 'load'>): Promise<Watched[]> {
  return loadListed(watchedIn(status).filter(isOpenOrFlapping).slice(0, CARDS), alerts);
}

/** The open alerts, the rules that cannot be evaluated, and the last deliveries. */
export function overview(seen: Overview, viewer: Viewer): View {
  const { status, progress, deliveries } = seen;
  const due = seen.pending.filter(({ waits }) => waits === 'due');
  const watched = watchedIn(status);
  const wrong = watched.filter(isOpenOrFlapping);
  const failing = failingRulesIn(status);
  const body = html`<h1>${headline(seen, wrong.length, failing.length)}</h1>
${progress.phase === 'catching-up' && progressPanel(progress)}
${lead(seen, viewer)}
${unreadNote(status)}
${status.rules.length > 0 && tiles({ watched, failing: failing.length, due, silences: status.silences })}
${wrong.length > 0 && alertCards({ shown: seen.mostSevere, more: wrong.length - seen.mostSevere.length }, viewer, status.silences)}
${failing.length > 0 && failingSection(failing, viewer)}
${isEvaluated(seen) && movesSection(seen.moves, status.byId, viewer)}
${appCharts(seen.apps)}
${deliveries.length > 0 && html`<section><h2>Recent deliveries</h2>${deliveryLines(deliveries.slice(0, LAST_DELIVERIES), status.byId, viewer)}<p><a href="/deliveries">All deliveries${due.length > 0 && `, ${due.length} pending`}</a></p></section>`}`;
  return { title: 'Overview', body, ...(progress.phase === 'catching-up' && { refreshSeconds: 2 }) };
}

/** Never "No open alerts" while a rule or an alert cannot be evaluated or read. */
function headline(seen: Overview, wrong: number, failing: number): string {
  if (!isEvaluated(seen)) return 'Waiting for the first run';
  const stopped = stoppedApps(seen.status);
  const moved = wrong - stopped.length;
  const unread = unreadIn(seen.status).length;
  const unreadAlerts = seen.status.unread.length;
  const parts = [
    ...stopped.map((app) => `no data from ${app}`),
    ...(moved > 0 ? [`${counted(moved, 'alert')} open`] : []),
    ...(failing > 0 ? [`${counted(failing, 'rule')} cannot be evaluated`] : []),
    ...(unread > 0 ? [`${counted(unread, 'rule')} cannot be read`] : []),
    ...(unreadAlerts > 0 ? [`${counted(unreadAlerts, 'alert')} cannot be read`] : []),
  ];
  const text = parts.join(', ') || 'no open alerts';
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function isEvaluated({ ticks, status }: Overview): boolean {
  if (unreadIn(status).length > 0) return true;
  return status.rules.length > 0 && (ticks.length > 0 || status.open.length > 0);
}

/** The number of active rules and the time of the next run. */
function lead(seen: Overview, viewer: Viewer): Html {
  const { rules } = seen.status;
  const next = nextRunAt(rules, viewer.now);
  if (!next && unreadIn(seen.status).length > 0) return html``;
  if (!next)
    return html`<p class="empty">No rules are deployed. After a deployment, this page shows open alerts, rules that cannot be evaluated, and pending notifications.</p>`;
  return html`<p class="lead">${counted(rules.length, 'active rule')}. Next run: ${seenAt(next.at, viewer, next.zone)}.${
    !isEvaluated(seen) && ' Results appear here after it.'
  }</p>`;
}

/** The earliest next run of any rule. Computed once for each cadence, because that is slow. */
function nextRunAt(rules: Rule[], now: number): { at: number; zone: string } | undefined {
  const cadences = new Map(rules.map((rule) => [cadenceName(rule.cadence), rule]));
  return [...cadences.values()]
    .map(({ cadence, zone }) => ({ at: nextRun(cadence, now), zone }))
    .toSorted((a, b) => a.at - b.at)[0];
}

function progressPanel({ step, done, total, note }: Extract<Progress, { phase: 'catching-up' }>): Html {
  const percent = total > 0 ? Math.floor((100 * Math.min(done, total)) / total) : 0;
  return html`<section class="panel" aria-label="Progress">
<p><label for="progress"><strong>${step}</strong></label> <span class="quiet">${percent}%</span></p>
<progress id="progress" max="100" value="${percent}">${percent}%</progress>
${note !== undefined && html`<p class="quiet">${note}</p>`}</section>`;
}

function failingSection(failing: FailingRule[], viewer: Viewer): Html {
  return html`<section><h2>Rules that cannot be evaluated</h2>
<p class="quiet">The next run evaluates the same windows again. Until then, the state of these rules is unknown.</p>
${failingTable(failing.slice(0, ROWS), viewer)}
${failing.length > ROWS && html`<p><a href="/health#rules">${failing.length - ROWS} more</a></p>`}</section>`;
}

/** The data of the tiles. `failing`: rules that cannot be evaluated. `due`: notifications that can be sent now. */
interface Counted {
  watched: Listed[];
  failing: number;
  due: PendingMessage[];
  silences: Silence[];
}

/** Counts of alerts, rules, notifications and silences, each linked to its list. */
function tiles({ watched, failing, due, silences }: Counted): Html {
  const wrong = watched.filter(isOpenOrFlapping);
  const unacknowledged = wrong.filter(({ alert }) => alert.acknowledged === null).length;
  const pending = watched.filter(({ alert }) => alert.state === 'pending').length;
  const isFailing = due.some(({ notification }) => notification.attempts > 0);
  const figures = [
    ['/alerts', wrong.length, 'open', wrong.length > 0 ? 'bad' : 'good'],
    ['/alerts?ack=no', unacknowledged, 'not acknowledged', unacknowledged > 0 ? 'warn' : 'good'],
    ['/alerts?state=pending', pending, 'pending', 'plain'],
    ['/health#rules', failing, 'cannot be evaluated', failing > 0 ? 'bad' : 'good'],
    [
      '/deliveries',
      due.length,
      due.length === 1 ? 'notification due' : 'notifications due',
      isFailing ? 'warn' : 'plain',
    ],
    ['/silences', silences.length, silences.length === 1 ? 'active silence' : 'active silences', 'plain'],
  ] as const;
  return html`<ul class="tiles">${figures.map(
    ([href, count, what, tone]) =>
      html`<li><a class="tile ${count === 0 ? 'none' : tone}" href="${href}"><strong>${count}</strong> <span>${what}</span></a></li>`,
  )}</ul>`;
}

/** About one screen. The list of alerts has the rest. */
const CARDS = 24;
const SPARK = { width: 240, height: 32 };

/** The most severe alerts, with figures, start and acknowledgement. `more`: open alerts that are not shown. */
function alertCards(
  { shown, more }: { shown: Watched[]; more: number },
  viewer: Viewer,
  silences: Silence[],
): Html {
  return html`<h2 class="hidden">Open alerts</h2>
<ul class="cards">${shown.map((each) => card(each, viewer, silences))}</ul>
${more > 0 && html`<p><a href="/alerts">${more} more</a></p>`}`;
}

function card({ rule, alert }: Watched, viewer: Viewer, silences: Silence[]): Html {
  const { last, segment } = alert;
  const zone = rule?.zone ?? 'UTC';
  return html`<li class="card ${alert.state}">
<p class="badges">${stateBadges(alert)} ${badge(rule?.severity ?? 'critical')}</p>
<h3><a href="${alertPath(alert)}">${titleOf({ ...alert, segment: null }, rule)}</a></h3>
${segment !== null && html`<p>${segmentTag(segment, rule && groupText(rule))}</p>`}
${last && rule && (rule.members ? html`<p class="movement">${verdictText(last, momentsIn(rule.zone))}</p>` : lastWindow(rule, last, viewer))}
${spark(alert, rule, SPARK)}
<p class="quiet">Since ${seenAt(sinceOf(alert), viewer, zone)}</p>
<p class="acknowledgement">${acknowledgement({ alert, rule }, viewer, silences)}</p>
</li>`;
}

function lastWindow(rule: FigureRule, last: Evaluation, viewer: Viewer): Html {
  return html`<p class="movement">${figures(last, rule)}</p>
<p class="change">${changeText({ last })} <span class="quiet">${inWindowFor(last.current.window, rule, viewer)}</span></p>`;
}

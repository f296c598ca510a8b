import { html } from 'hono/html';
import type { AlertStore } from '../../../shared/alerting/alerts/alert-store.ts';
import type { Delivery } from '../../../shared/alerting/notifications/delivery-log.ts';
import type { LastTick } from '../../../shared/alerting/planning/run-store.ts';
import type { Rule } from '../../../shared/alerting/rules/rule.ts';
import { cadenceName, nextRun } from '../../../shared/alerting/time/cadence.ts';
import type { Html, View } from '../../../shared/pages/html.ts';
import type { Progress } from '../../../shared/pages/progress.ts';
import { counted } from '../../../shared/pages/table.ts';
import { seenAt, type Viewer } from '../../../shared/pages/time.ts';
import {
  type FailingRule,
  failingRulesIn,
  isWrong,
  loadListed,
  type Standing,
  stoppedApps,
  unreadIn,
  type Watched,
  watchedIn,
} from '../../../shared/responding/alert-status.ts';
import type { PendingMessage } from '../../../shared/responding/pending-messages.ts';
import { alertCards, CARDS } from './alert-cards.ts';
import { deliveryLines } from './deliveries-view.ts';
import { failingTable } from './failing-rules-table.ts';
import { tiles } from './tiles.ts';
import { unreadNote } from './unread-note.ts';

/** More help nobody; the rest is a link away. */
const ROWS = 20;
export const LAST_DELIVERIES = 5;

/** What the overview tells of besides what stands. */
export interface Overview {
  standing: Standing;
  /** The gravest of what is wrong. */
  mostSevere: Watched[];
  ticks: LastTick[];
  pending: PendingMessage[];
  deliveries: Delivery[];
  progress: Progress;
}

export function loadMostSevere(standing: Standing, alerts: Pick<AlertStore, 'load'>): Promise<Watched[]> {
  return loadListed(watchedIn(standing).filter(isWrong).slice(0, CARDS), alerts);
}

/** What is wrong now, since when, and who has it; what cannot be told; what is still to be said. */
export function overview(seen: Overview, viewer: Viewer): View {
  const { standing, progress, deliveries } = seen;
  const due = seen.pending.filter(({ waits }) => waits === 'due');
  const watched = watchedIn(standing);
  const wrong = watched.filter(isWrong);
  const failing = failingRulesIn(standing);
  const body = html`<h1>${headline(seen, wrong.length, failing.length)}</h1>
${progress.phase === 'catching-up' && progressPanel(progress)}
${outlook(seen, viewer)}
${unreadNote(standing)}
${standing.rules.length > 0 && tiles({ watched, failing: failing.length, due, silences: standing.silences })}
${wrong.length > 0 && alertCards({ shown: seen.mostSevere, more: wrong.length - seen.mostSevere.length }, viewer, standing.silences)}
${failing.length > 0 && failingSection(failing, viewer)}
${deliveries.length > 0 && html`<section><h2>Last deliveries</h2>${deliveryLines(deliveries.slice(0, LAST_DELIVERIES), standing.byId, viewer)}<p><a href="/deliveries">All deliveries${due.length > 0 && `, and ${counted(due.length, 'message')} still to be sent`}</a></p></section>`}`;
  return { title: 'Overview', body, ...(progress.phase === 'catching-up' && { refreshSeconds: 2 }) };
}

/** A rule that cannot be checked or read is never passed over as "nothing is wrong". */
function headline(seen: Overview, wrong: number, failing: number): string {
  if (!isEvaluated(seen)) return 'Nothing to tell yet';
  const stopped = stoppedApps(seen.standing);
  const moved = wrong - stopped.length;
  const unread = unreadIn(seen.standing).length;
  const unreadAlerts = seen.standing.unread.length;
  const parts = [
    ...stopped.map((app) => `no data from ${app}`),
    ...(moved > 0 ? [`${counted(moved, 'alert')} open`] : []),
    ...(failing > 0 ? [`${counted(failing, 'rule')} cannot be checked`] : []),
    ...(unread > 0 ? [`${counted(unread, 'rule')} cannot be read`] : []),
    ...(unreadAlerts > 0 ? [`${counted(unreadAlerts, 'alert')} cannot be read`] : []),
  ];
  const text = parts.join(', ') || 'nothing is wrong';
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function isEvaluated({ ticks, standing }: Overview): boolean {
  if (unreadIn(standing).length > 0) return true;
  return standing.rules.length > 0 && (ticks.length > 0 || standing.open.length > 0);
}

/** In one sentence: what is watched, and when it is looked at next. */
function outlook(seen: Overview, viewer: Viewer): Html {
  const { rules } = seen.standing;
  const next = nextRunAt(rules, viewer.now);
  if (!next && unreadIn(seen.standing).length > 0) return html``;
  if (!next)
    return html`<p class="empty">No rules are deployed. Once there are, this page says what moved more than it should, which rules cannot be checked, and what is still to be sent.</p>`;
  return html`<p class="lead">${counted(rules.length, 'rule')} in force; the next look is at ${seenAt(next.at, viewer, next.zone)}.${
    !isEvaluated(seen) &&
    ' Then this page says what moved more than it should, which rules cannot be checked, and what is still to be sent.'
  }</p>`;
}

/** When any rule is looked at next. Many rules share a cadence, which is not cheap to follow. */
function nextRunAt(rules: Rule[], now: number): { at: number; zone: string } | undefined {
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

function failingSection(failing: FailingRule[], viewer: Viewer): Html {
  return html`<section><h2>Cannot be checked</h2>
<p class="quiet">Nothing here is taken for “all clear”: the same windows are tried again at the next run.</p>
${failingTable(failing.slice(0, ROWS), viewer)}
${failing.length > ROWS && html`<p><a href="/health#rules">and ${failing.length - ROWS} more</a></p>`}</section>`;
}

import { html } from 'hono/html';
import type { AlertStore } from '../../../shared/alerts/alert-store.ts';
import type { Move } from '../../../shared/alerts/moves.ts';
import type { Html, View } from '../../../shared/pages/html.ts';
import type { Progress } from '../../../shared/pages/progress.ts';
import type { Viewer } from '../../../shared/pages/time.ts';
import type { LastTick } from '../../../shared/planning/run-store.ts';
import {
  failingRulesIn,
  isOpenOrFlapping,
  loadListed,
  type Status,
  stoppedApps,
  unreadIn,
  type Watched,
  watchedIn,
} from '../../../shared/responding/alert-status.ts';
import { counted } from '../../../shared/text/counted.ts';
import { alertTable } from './alerts-view.ts';

import { movesSection } from './moves-section.ts';
import { unreadNote } from './unread-note.ts';

/** About one screen of alerts. The list of alerts has the rest. */
const SHOWN = 24;

/** The data of the overview. */
export interface Overview {
  status: Status;
  /** The most severe open alerts. */
  mostSevere: Watched[];
  moves: Move[];
  ticks: LastTick[];
  progress: Progress;
}

export function loadMostSevere(status: Status, alerts: Pick<AlertStore, 'load'>): Promise<Watched[]> {
  return loadListed(watchedIn(status).filter(isOpenOrFlapping).slice(0, SHOWN), alerts);
}

/** The open alerts, and what moved. */
export function overview(seen: Overview, viewer: Viewer): View {
  const { status, progress, mostSevere } = seen;
  const open = watchedIn(status).filter(isOpenOrFlapping).length;
  const failing = failingRulesIn(status).length;
  const more = open - mostSevere.length;
  const body = html`<h1>${headline(seen, open, failing)}</h1>
${progress.phase === 'catching-up' && progressPanel(progress)}
${lead(seen)}
${unreadNote(status)}
${failing > 0 && html`<p class="notice"><a href="/health#rules">Why ${counted(failing, 'rule')} cannot be evaluated</a></p>`}
${open > 0 && html`<section><h2>Open alerts</h2>${alertTable(mostSevere, viewer, status.silences)}${more > 0 && html`<p><a href="/alerts">${more} more</a></p>`}</section>`}
${isEvaluated(seen) && movesSection(seen.moves, status.byId)}`;
  return { title: 'Overview', body, ...(progress.phase === 'catching-up' && { refreshSeconds: 2 }) };
}

/** Never "No open alerts" while a rule or an alert cannot be evaluated or read. */
function headline(seen: Overview, open: number, failing: number): string {
  if (!isEvaluated(seen)) return 'Waiting for the first run';
  const stopped = stoppedApps(seen.status);
  const moved = open - stopped.length;
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

function lead({ status }: Overview): Html | undefined {
  const { rules } = status;
  if (rules.length > 0)
    return html`<p class="lead">${counted(rules.length, 'active rule')}. <a href="/health">Health</a> has the time of the next run.</p>`;
  if (unreadIn(status).length > 0) return undefined;
  return html`<p class="empty">No rules are deployed. After a deployment, this page shows open alerts and what moved.</p>`;
}

function progressPanel({ step, done, total, note }: Extract<Progress, { phase: 'catching-up' }>): Html {
  const percent = total > 0 ? Math.floor((100 * Math.min(done, total)) / total) : 0;
  return html`<section class="panel" aria-label="Progress">
<p><label for="progress"><strong>${step}</strong></label> <span class="quiet">${percent}%</span></p>
<progress id="progress" max="100" value="${percent}">${percent}%</progress>
${note !== undefined && html`<p class="quiet">${note}</p>`}</section>`;
}

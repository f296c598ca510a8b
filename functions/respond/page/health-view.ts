import { html } from 'hono/html';
import { appAlertKey } from '../../../shared/alerts/app-alert.ts';
import { isAdmin } from '../../../shared/alerts/roles.ts';
import { alertPath, rulePath } from '../../../shared/messages/page-paths.ts';
import { reasonText } from '../../../shared/messages/reason-text.ts';
import type { Html, View } from '../../../shared/pages/html.ts';
import { type Cell, table } from '../../../shared/pages/table.ts';
import { ago, seenAt, type Viewer } from '../../../shared/pages/time.ts';
import {
  type FailingRule,
  failingRulesIn,
  type Status,
  unreadIn,
} from '../../../shared/responding/alert-status.ts';
import type { Pulse } from '../../../shared/responding/pulse.ts';
import { counted } from '../../../shared/text/counted.ts';
import { badge } from './alert-parts.ts';
import { unreadNote } from './unread-note.ts';

/** Rows of the table of failing rules, the oldest first. */
const FAILING = 50;

/** The health of Deltawatch: runs, call budget, age of the data, and rules that cannot be evaluated. */
export function healthView(
  status: Status,
  health: Pulse,
  callsPerHour: number | undefined,
  viewer: Viewer,
): View {
  const failing = failingRulesIn(status);
  const { cadences, apps } = health;
  const body = html`<h1>Health</h1>
<p class="lead">The state of Deltawatch itself: its runs, its call budget and the age of the data. For monitoring, use <a href="/healthz"><code>/healthz</code></a>.${isAdmin(viewer.grants) && html` The <a href="/audit">audit log</a> has what people did.`}</p>
<section><h2>Runs</h2>
${cadences.length === 0 ? html`<p class="empty">No rules are deployed.</p>` : runsTable(cadences, viewer)}</section>
<section><h2>Apps</h2>
${apps.length === 0 ? html`<p class="empty">No apps. Deploy a rule to watch one.</p>` : appsTable(apps, callsPerHour, viewer)}</section>
<section id="rules"><h2>Rules that cannot be evaluated</h2>
${failing.length > 0 ? failingTable(failing.slice(0, FAILING), viewer) : html`<p class="empty">${unreadIn(status).length > 0 ? 'None of the rules that can be read.' : 'None.'}</p>`}
${failing.length > FAILING && html`<p class="quiet">${failing.length - FAILING} more</p>`}</section>
${unreadNote(status)}`;
  return { title: 'Health', body };
}

function runsTable(cadences: Pulse['cadences'], viewer: Viewer): Html {
  const rows = cadences.map(({ every, zone, rules, state, lastAt, nextAt }): Cell[] => [
    html`every ${every} <span class="quiet">(${zone}), ${counted(rules, 'rule')}</span>`,
    badge(state),
    lastAt === null ? 'never' : seenAt(lastAt, viewer, zone),
    seenAt(nextAt, viewer, zone),
  ]);
  return table('Runs by cadence', ['Cadence', 'State', 'Last run', 'Next run'], rows);
}

function appsTable(apps: Pulse['apps'], callsPerHour: number | undefined, viewer: Viewer): Html {
  const rows = apps.map(({ app, newestAt, stoppedSinceAt, calls, rules }): Cell[] => [
    app,
    stoppedSinceAt === null
      ? badge(newestAt === null ? 'not evaluated yet' : 'ok')
      : html`${badge('stopped')} <a href="${alertPath(appAlertKey(app))}">since ${ago(stoppedSinceAt, viewer.now)}</a>`,
    newestAt === null ? 'unknown' : seenAt(newestAt, viewer),
    Number.isFinite(calls)
      ? `${calls}${callsPerHour === undefined ? '' : ` of ${callsPerHour}`}`
      : 'cannot be read',
    rules,
  ]);
  return table('Apps', ['App', 'Data', 'Newest event', 'Calls this hour', 'Rules'], rows);
}

function failingTable(failing: FailingRule[], viewer: Viewer): Html {
  const rows = failing.map(({ rule, ails, since, why }) => [
    html`<a href="${rulePath(rule.id)}">${rule.title}</a>`,
    badge(ails),
    reasonText(why, rule),
    seenAt(since, viewer, rule.zone),
  ]);
  return table('Rules that cannot be evaluated', ['Rule', 'Health', 'Reason', 'Since'], rows);
}

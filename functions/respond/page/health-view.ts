import { html } from 'hono/html';
import { appAlertKey, appOf } from '../../../shared/alerts/app-alert.ts';
import { alertPath, rulePath } from '../../../shared/messages/page-paths.ts';
import { reasonText } from '../../../shared/messages/reason-text.ts';
import type { Html, View } from '../../../shared/pages/html.ts';
import { type Cell, table } from '../../../shared/pages/table.ts';
import { ago, seenAt, type Viewer } from '../../../shared/pages/time.ts';
import type { LastTick, RunStore } from '../../../shared/planning/run-store.ts';
import {
  type Deployed,
  type FailingRule,
  failingRulesIn,
  type Status,
  unreadIn,
} from '../../../shared/responding/alert-status.ts';
import type { Rule } from '../../../shared/rules/rule.ts';
import { counted } from '../../../shared/text/counted.ts';
import { type Cadence, cadenceName, nextRun } from '../../../shared/time/cadence.ts';
import { badge } from './alert-parts.ts';
import { unreadNote } from './unread-note.ts';

/** Rows of the table of failing rules, the oldest first. */
const FAILING = 50;

/** A run is late if it is not planned this long after its time. */
const LATE_MS = 5 * 60_000;

export interface Pulse {
  ticks: (LastTick & { isComplete: boolean })[];
  apps: AppHealth[];
}

interface AppHealth {
  app: string;
  /** Calls spent in this hour. */
  calls: number;
  /** The newest event that any run has seen; `undefined` before the first run. */
  newestEventAt: number | undefined;
}

/** The stored state of runs, for the cadences and apps of the deployed rules. */
export async function loadPulse({ rules }: Deployed, runs: RunStore, now: number): Promise<Pulse> {
  const apps = [...new Set(rules.map(({ app }) => app))].toSorted();
  const last = await runs.loadLastTicks();
  const [ticks, appHealths] = await Promise.all([
    Promise.all(last.map(async (each) => ({ ...each, isComplete: await runs.isTickComplete(each.tick) }))),
    Promise.all(
      apps.map(async (app) => {
        const [calls, newestEventAt] = await Promise.all([
          runs.loadCalls(app, now),
          runs.loadNewestEventAt(app),
        ]);
        return { app, calls, newestEventAt };
      }),
    ),
  ]);
  return { ticks, apps: appHealths };
}

/** The health of Deltawatch: runs, call budget, age of the data, and rules that cannot be evaluated. */
export function healthView(
  status: Status,
  health: Pulse,
  callsPerHour: number | undefined,
  viewer: Viewer,
): View {
  const failing = failingRulesIn(status);
  const cadences = cadencesOf(status.rules);
  const body = html`<h1>Health</h1>
<p class="lead">The state of Deltawatch itself: its runs, its call budget and the age of the data. For monitoring, use <a href="/healthz"><code>/healthz</code></a>.</p>
<section><h2>Runs</h2>
${cadences.length === 0 ? html`<p class="empty">No rules are deployed.</p>` : runsTable(cadences, health, viewer)}</section>
<section><h2>Apps</h2>
${health.apps.length === 0 ? html`<p class="empty">No apps. Deploy a rule to watch one.</p>` : appsTable(status, health, callsPerHour, viewer)}</section>
<section id="rules"><h2>Rules that cannot be evaluated</h2>
${failing.length > 0 ? failingTable(failing.slice(0, FAILING), viewer) : html`<p class="empty">${unreadIn(status).length > 0 ? 'None of the rules that can be read.' : 'None.'}</p>`}
${failing.length > FAILING && html`<p class="quiet">${failing.length - FAILING} more</p>`}</section>
${unreadNote(status)}`;
  return { title: 'Health', body };
}

interface CadenceSummary {
  cadence: Cadence;
  name: string;
  every: string;
  rules: number;
}

/** The distinct cadences of the rules. */
export function cadencesOf(rules: Rule[]): CadenceSummary[] {
  return [...Map.groupBy(rules, ({ cadence }) => cadenceName(cadence))].flatMap(([name, same]) => {
    const [first] = same;
    return first ? [{ name, cadence: first.cadence, every: first.every, rules: same.length }] : [];
  });
}

function runsTable(cadences: CadenceSummary[], { ticks }: Pulse, viewer: Viewer): Html {
  const last = new Map(ticks.map((tick) => [tick.cadence, tick]));
  const rows = cadences.map(({ name, cadence, every, rules }): Cell[] => {
    const tick = last.get(name);
    return [
      html`every ${every} <span class="quiet">(${cadence.zone}), ${counted(rules, 'rule')}</span>`,
      badge(tick ? punctualityOf(cadence, tick, viewer.now) : 'not evaluated yet'),
      tick ? seenAt(tick.scheduledAt, viewer, cadence.zone) : 'never',
      seenAt(nextRun(cadence, viewer.now), viewer, cadence.zone),
    ];
  });
  return table('Runs by cadence', ['Cadence', 'State', 'Last run', 'Next run'], rows);
}

/** `late`: the next run is overdue. `in work`: the last run is not finished. */
export function punctualityOf(
  cadence: Cadence,
  last: Pick<Pulse['ticks'][number], 'scheduledAt' | 'isComplete'>,
  now: number,
): 'late' | 'in work' | 'on time' {
  if (nextRun(cadence, last.scheduledAt) < now - LATE_MS) return 'late';
  return last.isComplete ? 'on time' : 'in work';
}

function appsTable(
  { open, rules }: Status,
  { apps }: Pulse,
  callsPerHour: number | undefined,
  viewer: Viewer,
): Html {
  const rows = apps.map(({ app, calls, newestEventAt }): Cell[] => {
    const alert = open.find((each) => appOf(each) === app && each.state === 'firing');
    return [
      app,
      alert
        ? html`${badge('stopped')} <a href="${alertPath(appAlertKey(app))}">since ${ago(alert.stateSinceAt, viewer.now)}</a>`
        : badge(newestEventAt === undefined ? 'not evaluated yet' : 'ok'),
      newestEventAt === undefined ? 'unknown' : seenAt(newestEventAt, viewer),
      Number.isFinite(calls)
        ? `${calls}${callsPerHour === undefined ? '' : ` of ${callsPerHour}`}`
        : 'cannot be read',
      rules.filter((rule) => rule.app === app).length,
    ];
  });
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

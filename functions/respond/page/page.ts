import { type Context, Hono } from 'hono';
import type { AuditLog } from '../../../shared/alerts/audit.ts';
import type { NoteStore } from '../../../shared/alerts/note.ts';
import { isAdmin } from '../../../shared/alerts/roles.ts';
import { NO_RULES } from '../../../shared/deployments/rule-store.ts';
import { chosenIn, MOST_SERIES, seriesQuerySchema } from '../../../shared/messages/chart-series.ts';
import { alertKeyAt } from '../../../shared/messages/page-paths.ts';
import type { DeliveryLog } from '../../../shared/notifications/delivery-log.ts';
import type { View } from '../../../shared/pages/html.ts';
import type { Progress } from '../../../shared/pages/progress.ts';
import { sharedZone, type Viewer } from '../../../shared/pages/time.ts';
import type { RunStore } from '../../../shared/planning/run-store.ts';
import type { MetricSource } from '../../../shared/readings/metric-source.ts';
import type { ReadingStore } from '../../../shared/readings/snapshots.ts';
import {
  loadDeployed,
  loadStatus,
  type StatusStores,
  unreadIn,
} from '../../../shared/responding/alert-status.ts';
import { seriesIn } from '../../../shared/responding/charts.ts';
import { pendingIn } from '../../../shared/responding/pending-messages.ts';
import { loadPulse } from '../../../shared/responding/pulse.ts';
import { hasSegments } from '../../../shared/rules/rule.ts';
import { isExplained } from '../../../shared/runtime/errors.ts';
import { loadSeries } from '../series.ts';
import type { Visitors } from '../visitors.ts';
import { alertView } from './alert-view.ts';
import { alertsView } from './alerts-view.ts';
import { addAssets } from './assets.ts';
import { AUDIT_ENTRIES, auditView } from './audit-view.ts';
import { DELIVERIES, deliveriesView } from './deliveries-view.ts';
import { eventsView } from './events-view.ts';
import { EXPLORE } from './explore-link.ts';
import { healthView } from './health-view.ts';
import { layout, notFoundView, type Section } from './layout.ts';
import { loadMainFigures } from './main-figures.ts';
import { loadMostSevere, loadMoves, overview } from './overview.ts';
import { ruleView } from './rule-view.ts';
import { rulesView } from './rules-view.ts';
import { loadFigure } from './series-section.ts';
import { silencesView } from './silences-view.ts';
import { loadTimeline, timelineView } from './timeline-view.ts';

export interface PageDeps extends StatusStores {
  readings: ReadingStore;
  runs: RunStore;
  deliveries: DeliveryLog;
  notes: NoteStore;
  audit: AuditLog;
  visitors: Pick<Visitors, 'viewerOf'>;
  /** Fails while nothing can be written, for monitoring. Absent where the page may not write. */
  tryWrite?: () => Promise<unknown>;
  /** The progress of a catch-up. Absent where the system only runs on time. */
  progress?: () => Progress;
  /** A unique random id for each form, so that submitting it twice counts once. */
  newId: () => string;
  /** The call budget of an app for each hour. Without it the budget is not shown. */
  callsPerHour?: number;
  /** The base URL of the data access service. */
  dataAccessUrl?: string;
  /** Visitors sign in, so the footer links to the sign-out page. */
  canSignOut?: boolean;
  /** Lists the events behind a figure. Absent where the page cannot ask the service. */
  sourceFor?: (app: string) => Pick<MetricSource, 'readRecords'>;
  /** Additional sections of the menu. */
  sections?: Section[];
}

const LIVE: Progress = { phase: 'live' };

/** The pages of the system. They only read, and load nothing from other hosts. */
export function createPage(deps: PageDeps): Hono {
  const { sections = [], progress } = deps;
  const page = new Hono();
  const show: Show = async (c, viewFor) => {
    const explores = sections.some(({ path }) => path === EXPLORE);
    const viewer = { ...(await deps.visitors.viewerOf(c)), explores };
    const view = await viewFor(viewer, c);
    if (typeof view === 'string') return c.redirect(view, 303);
    const { dataAccessUrl, canSignOut } = deps;
    const { path } = c.req;
    const isLive = !sections.some((section) => section.path === path);
    const frame = { path, done: c.req.query('done'), sections, dataAccessUrl, canSignOut, isLive };
    return c.html(layout(view, frame), view.status ?? 200);
  };
  const add: AddPage = (path, viewFor) => void page.get(path, (c) => show(c, viewFor));
  addLists(deps, add);
  addDetails(deps, add);
  for (const { path, view, submit } of sections) {
    add(path, async (_, c) => view(sharedZone((await deps.rules.loadCurrent())?.rules ?? []), c));
    if (submit) page.post(path, (c) => show(c, submit));
  }
  // For the script of charts: the answer of the interface of alerts, by the session.
  page.get('/rules/:id/series', async (c) => {
    const { now } = await deps.visitors.viewerOf(c);
    const query = seriesQuerySchema.safeParse({ ...c.req.query(), segment: c.req.queries('segment') ?? [] });
    if (!query.success) return c.json(query.error.issues, 400);
    const answer = await loadSeries(c.req.param('id'), query.data, now, deps);
    return 'why' in answer ? c.json(answer, answer.status) : c.json(answer);
  });
  page.get('/healthz', async (c) => {
    const failure = await Promise.all([deps.rules.loadCurrent(NO_RULES), deps.tryWrite?.()]).then(
      () => undefined,
      (error: unknown) => ({ reason: isExplained(error) ? error.message : 'the rules cannot be read' }),
    );
    const health = { ok: failure === undefined, ...failure, ...(progress && { progress: progress() }) };
    return c.json(health, failure ? 503 : 200);
  });
  addAssets(page);
  page.notFound((c) => show(c, () => notFoundView('page')));
  return page;
}

/** The page for the visitor, or a path to redirect to. */
type ViewFor = (viewer: Viewer, c: Context) => View | string | Promise<View | string>;
type Show = (c: Context, viewFor: ViewFor) => Promise<Response>;
type AddPage = (path: string, viewFor: ViewFor) => void;

function addLists(deps: PageDeps, add: AddPage): void {
  const { alerts, runs, deliveries, silences, progress = () => LIVE } = deps;
  add('/', async (viewer) => {
    const [status, ticks] = await Promise.all([loadStatus(deps, viewer.now), runs.loadLastTicks()]);
    const [mostSevere, figures, moves] = await Promise.all([
      loadMostSevere(status, alerts),
      loadMainFigures(status.rules, alerts),
      loadMoves(ticks, runs),
    ]);
    return overview({ status, mostSevere, figures, moves, ticks, progress: progress() }, viewer);
  });
  add('/rules', async (viewer, c) =>
    rulesView(await loadStatus(deps, viewer.now), c.req.query(), alerts, viewer),
  );
  add('/alerts', async (viewer, c) =>
    alertsView(await loadStatus(deps, viewer.now), c.req.query(), { alerts, formId: deps.newId() }, viewer),
  );
  add('/timeline', async (viewer, c) =>
    timelineView(await loadTimeline(deps, viewer.now), c.req.query(), viewer),
  );
  add('/silences', async (viewer, c) => {
    const [deployed, all] = await Promise.all([loadDeployed(deps, viewer.now), silences.loadAll()]);
    // Only active silences need the open alerts, which are slow to load if there are many.
    const open = all.some(({ untilAt }) => untilAt > viewer.now) ? await alerts.loadOpen() : [];
    return silencesView(all, { ...deployed, open }, c.req.query(), viewer);
  });
  add('/deliveries', async (viewer, c) => {
    const [deployed, withPending, log] = await Promise.all([
      loadDeployed(deps, viewer.now),
      alerts.loadPending(Number.MAX_SAFE_INTEGER),
      deliveries.loadLast(DELIVERIES),
    ]);
    const pending = pendingIn(withPending, deployed, viewer.now);
    return deliveriesView({ pending, deliveries: log, byId: deployed.byId }, c.req.query(), viewer);
  });
  add('/audit', async (viewer, c) =>
    isAdmin(viewer.grants)
      ? auditView(await deps.audit.load({ atMost: AUDIT_ENTRIES }), c.req.query(), viewer)
      : notFoundView('page'),
  );
  add('/health', async (viewer) => {
    const status = await loadStatus(deps, viewer.now);
    return healthView(status, await loadPulse(status, runs, viewer.now), deps.callsPerHour, viewer);
  });
}

function addDetails(deps: PageDeps, add: AddPage): void {
  const { rules, alerts } = deps;
  add('/rules/:id', async (viewer, c) => {
    const id = c.req.param('id') ?? '';
    const ruleSet = await rules.loadCurrent({ ids: new Set([id]) });
    const rule = ruleSet?.rules.find((each) => each.id === id);
    if (!ruleSet || !rule) return notFoundView('rule');
    const [loaded, sourceLink] = await Promise.all([alerts.loadOfRule(id), rules.loadSourceLink(id)]);
    const series = seriesIn(rule, loaded);
    const query = new URL(c.req.url).searchParams;
    const chosen = chosenIn(series, query.getAll('segment').slice(0, MOST_SERIES));
    const wanted = { chosen, query, ...(hasSegments(rule) && { choices: series }) };
    const whole = loaded.find(({ segment }) => segment === null);
    const figure = await loadFigure(rule, wanted, viewer.now, deps);
    const { routes } = ruleSet;
    return ruleView({ rule, routes, whole, series, chosen, figure, sourceLink }, viewer);
  });
  add('/alerts/:rule', async (viewer, c) => {
    const key = alertKeyAt(c.req.param('rule') ?? '', c.req.query());
    const [deployed, [alert], sourceLink] = await Promise.all([
      loadDeployed(deps, viewer.now, { ids: new Set([key.ruleId]) }),
      alerts.load([key]),
      rules.loadSourceLink(key.ruleId),
    ]);
    const rule = deployed.byId.get(key.ruleId);
    if (rule && (!alert || (hasSegments(rule) && key.segment === null))) return `/rules/${rule.id}`;
    if (!alert) return notFoundView('alert');
    const wanted = { chosen: [alert], query: new URL(c.req.url).searchParams };
    const figure = rule && (await loadFigure(rule, wanted, viewer.now, deps));
    const isUnread = unreadIn(deployed).includes(key.ruleId);
    const { silences } = deployed;
    const listed = deps.sourceFor !== undefined && !rule?.members;
    const scene = { alert, rule, isUnread, figure, sourceLink, silences, listed, formId: deps.newId() };
    return alertView(scene, viewer);
  });
  add('/alerts/:rule/events', async (_, c) => {
    const key = alertKeyAt(c.req.param('rule') ?? '', c.req.query());
    const ruleSet = await rules.loadCurrent({ ids: new Set([key.ruleId]) });
    const rule = ruleSet?.rules.find(({ id }) => id === key.ruleId);
    const [alert] = await alerts.load([key]);
    if (!rule || rule.members || !alert || !deps.sourceFor) return notFoundView('list');
    return (await eventsView(alert, rule, deps.sourceFor(rule.app))) ?? notFoundView('list');
  });
}

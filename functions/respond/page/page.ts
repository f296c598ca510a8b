import { Hono } from 'hono';
import { setCookie } from 'hono/cookie';
import { secureHeaders } from 'hono/secure-headers';
import type { UnreadableAlert } from '../../../shared/alerts/alert-store.ts';
import type { NoteStore } from '../../../shared/alerts/note.ts';
import { LISTED_DAYS } from '../../../shared/alerts/past-incidents.ts';
import { alertKeyAt } from '../../../shared/messages/page-paths.ts';
import type { DeliveryLog } from '../../../shared/notifications/delivery-log.ts';
import type { Progress } from '../../../shared/pages/progress.ts';
import { sharedZone } from '../../../shared/pages/time.ts';
import type { RunStore } from '../../../shared/planning/run-store.ts';
import type { ReadingStore } from '../../../shared/readings/reading-store.ts';
import {
  loadDeployed,
  loadStatus,
  type StatusStores,
  unreadIn,
} from '../../../shared/responding/alert-status.ts';
import { pendingIn } from '../../../shared/responding/pending-messages.ts';
import { hasSegments } from '../../../shared/rules/rule.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { alertView } from './alert-view.ts';
import { alertsView, loadAlertList } from './alerts-view.ts';
import { addAssets } from './assets.ts';
import { DELIVERIES, deliveriesView } from './deliveries-view.ts';
import { healthView, loadPulse } from './health-view.ts';
import { notFoundView } from './layout.ts';
import { loadMoves } from './moves-section.ts';
import { loadMostSevere, overview } from './overview.ts';
import { type PageContext, type PageEnv, show, viewerOf, withKnownName } from './request-context.ts';
import { ruleView, statusOf } from './rule-view.ts';
import { loadRuleList, rulesView } from './rules-view.ts';
import { loadFigure } from './series-section.ts';
import { silencesView } from './silences-view.ts';
import { timelineView } from './timeline-view.ts';
import { backTo, ZONE_COOKIE, zoneFrom } from './zone-choice.ts';

export interface PageDeps extends StatusStores, PageContext {
  readings: ReadingStore;
  runs: RunStore;
  deliveries: DeliveryLog;
  notes: NoteStore;
  /** The progress of a catch-up. Absent where the system only runs on time. */
  progress?: () => Progress;
  /** A unique random id for each form, so that submitting it twice counts once. */
  newId?: () => string;
  /** The call budget of an app for each hour. Without it the budget is not shown. */
  callsPerHour?: number;
}

const LIVE: Progress = { phase: 'live' };
const FOREVER = Number.MAX_SAFE_INTEGER;
const YEAR_SECONDS = 365 * 86_400;

/** The pages of the system. They only read, and load nothing from other hosts. */
export function createPage(deps: PageDeps): Hono<PageEnv> {
  const { sections = [], progress } = deps;
  const page = new Hono<PageEnv>();
  page.use(
    secureHeaders({
      contentSecurityPolicy: {
        defaultSrc: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
      },
      strictTransportSecurity: false,
    }),
  );
  page.use(withKnownName(deps));
  addLists(page, deps);
  addDetails(page, deps);
  for (const { path, view } of sections)
    page.get(path, async (c) => {
      const rules = (await deps.rules.loadCurrent())?.rules ?? [];
      return show(c, deps, view(viewerOf(c, deps.clock).zone ?? sharedZone(rules)));
    });
  page.get('/time-zone', (c) => {
    const zone = zoneFrom(c.req.query('zone'));
    setCookie(c, ZONE_COOKIE, zone ?? '', { path: '/', sameSite: 'Lax', maxAge: zone ? YEAR_SECONDS : 0 });
    return c.redirect(backTo(c.req.query('back')), 303);
  });
  page.get('/healthz', async (c) => {
    const ok = await deps.rules.loadCurrent().then(
      () => true,
      () => false,
    );
    return c.json({ ok, ...(progress && { progress: progress() }) }, ok ? 200 : 503);
  });
  addAssets(page);
  page.notFound((c) => show(c, deps, notFoundView('page'), 404));
  return page;
}

/** The overview and the lists. */
function addLists(page: Hono<PageEnv>, deps: PageDeps): void {
  const { alerts, runs, deliveries, silences, progress = () => LIVE } = deps;
  page.get('/', async (c) => {
    const [status, ticks] = await Promise.all([loadStatus(deps, deps.clock.now()), runs.loadLastTicks()]);
    const [mostSevere, moves] = await Promise.all([loadMostSevere(status, alerts), loadMoves(ticks, runs)]);
    const seen = { status, mostSevere, moves, ticks, progress: progress() };
    return show(c, deps, overview(seen, viewerOf(c, deps.clock)));
  });
  page.get('/rules', async (c) => {
    const status = await loadStatus(deps, deps.clock.now());
    const list = await loadRuleList(status, c.req.query(), alerts);
    return show(c, deps, rulesView(status, list, viewerOf(c, deps.clock)));
  });
  page.get('/alerts', async (c) => {
    const now = deps.clock.now();
    const status = await loadStatus(deps, now);
    const list = await loadAlertList(status, c.req.query(), alerts);
    return show(c, deps, alertsView(list, viewerOf(c, deps.clock), status.silences));
  });
  page.get('/timeline', async (c) => {
    const unread: UnreadableAlert[] = [];
    const now = deps.clock.now();
    const [deployed, incidents, notes] = await Promise.all([
      loadDeployed(deps, now),
      alerts.loadIncidents((alert) => void unread.push(alert)),
      deps.notes.load({ fromAt: now - (LISTED_DAYS + 1) * DAY_MS, throughAt: now }),
    ]);
    const seen = { ...deployed, unread, incidents, notes };
    return show(c, deps, timelineView(seen, c.req.query(), viewerOf(c, deps.clock)));
  });
  page.get('/silences', async (c) => {
    const now = deps.clock.now();
    const [deployed, all] = await Promise.all([loadDeployed(deps, now), silences.loadAll()]);
    // Only active silences need the open alerts, which are slow to load if there are many.
    const open = all.some(({ untilAt }) => untilAt > now) ? await alerts.loadOpen() : [];
    return show(
      c,
      deps,
      silencesView(all, { ...deployed, open, unread: [] }, c.req.query(), viewerOf(c, deps.clock)),
    );
  });
  page.get('/deliveries', async (c) => {
    const [deployed, withPending, log] = await Promise.all([
      loadDeployed(deps, deps.clock.now()),
      alerts.loadPending(FOREVER),
      deliveries.loadLast(DELIVERIES),
    ]);
    const pending = pendingIn(withPending, deployed, deps.clock.now());
    const seen = { pending, deliveries: log, byId: deployed.byId };
    return show(c, deps, deliveriesView(seen, c.req.query('page'), viewerOf(c, deps.clock)));
  });
  page.get('/health', async (c) => {
    const status = await loadStatus(deps, deps.clock.now());
    const health = await loadPulse(status, runs, deps.clock.now());
    const asked = { callsPerHour: deps.callsPerHour, page: c.req.query('page') };
    return show(c, deps, healthView(status, health, asked, viewerOf(c, deps.clock)));
  });
}

/** The pages of one rule and of one alert. */
function addDetails(page: Hono<PageEnv>, deps: PageDeps): void {
  const { rules, alerts, readings, notes, clock } = deps;
  page.get('/rules/:id', async (c) => {
    const ruleSet = await rules.loadCurrent();
    const rule = ruleSet?.rules.find(({ id }) => id === c.req.param('id'));
    if (!ruleSet || !rule) return show(c, deps, notFoundView('rule'), 404);
    const [loaded, sourceLinks] = await Promise.all([alerts.loadOfRule(rule.id), rules.loadSourceLinks()]);
    const status = statusOf(rule, loaded);
    const [alert] = status.series;
    const figure = await loadFigure(rule, { alert, query: c.req.query() }, clock.now(), {
      alerts,
      readings,
      notes,
    });
    const scene = { status, routes: ruleSet.routes, alert, figure, sourceLink: sourceLinks[rule.id] };
    return show(c, deps, ruleView(scene, viewerOf(c, deps.clock)));
  });
  page.get('/alerts/:rule', async (c) => {
    const key = alertKeyAt(c.req.param('rule'), c.req.query());
    const [deployed, [alert], sourceLinks] = await Promise.all([
      loadDeployed(deps, clock.now()),
      alerts.load([key]),
      rules.loadSourceLinks(),
    ]);
    const rule = deployed.byId.get(key.ruleId);
    if (!alert || (rule && hasSegments(rule) && key.segment === null))
      return rule ? c.redirect(`/rules/${rule.id}`, 303) : show(c, deps, notFoundView('alert'), 404);
    const figure =
      rule &&
      (await loadFigure(rule, { alert, query: c.req.query() }, clock.now(), { alerts, readings, notes }));
    const isUnread = unreadIn(deployed).includes(key.ruleId);
    const scene = {
      ...{ alert, rule, isUnread, figure, silences: deployed.silences, formId: deps.newId?.() },
      ...{ sourceLink: sourceLinks[key.ruleId], serviceUrl: deps.dataAccessUrl },
    };
    return show(c, deps, alertView(scene, viewerOf(c, deps.clock)));
  });
}

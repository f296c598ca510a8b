import { type Context, Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import type { ReadingStore } from '../../../shared/alerting/ports.ts';
import { alertsView } from './alerts-view.ts';
import type { View } from './html.ts';
import { layout, notFoundView, type Section } from './layout.ts';
import { overview } from './overview.ts';
import { ruleView } from './rule-view.ts';
import { rulesView } from './rules-view.ts';
import { loadPoints } from './series-points.ts';
import { type Snapshot, type SnapshotDeps, takeSnapshot } from './snapshot.ts';
import { ICON, STYLE } from './style.ts';

export interface PageDeps extends SnapshotDeps {
  readings: ReadingStore;
  /** Where the figures come from; named in the footer. */
  dataAccessUrl?: string;
  /** Sections besides the page's own. */
  sections?: Section[];
}

/** What a person sees of the system. Reads only; asks nothing of any other host. */
export function createPage(deps: PageDeps): Hono {
  const { dataAccessUrl, sections = [] } = deps;
  const page = new Hono();
  page.use(
    secureHeaders({
      contentSecurityPolicy: { defaultSrc: ["'self'"], frameAncestors: ["'none'"], baseUri: ["'none'"] },
      strictTransportSecurity: false,
    }),
  );
  const show = (c: Context, view: View, status: 200 | 404 = 200) =>
    c.html(layout(view, { path: c.req.path, sections, dataAccessUrl }), status);
  const snapshot = () => takeSnapshot(deps);

  page.get('/', async (c) => show(c, overview(await snapshot())));
  page.get('/rules', async (c) => show(c, rulesView(await snapshot())));
  page.get('/rules/:id', async (c) => {
    const view = await ruleAt(await snapshot(), c.req.param('id'), c.req.query('segment'), deps.readings);
    return view ? show(c, view) : show(c, notFoundView('such rule'), 404);
  });
  page.get('/alerts', async (c) => show(c, alertsView(await snapshot())));
  for (const { path, view } of sections) page.get(path, (c) => show(c, view()));
  page.get('/health', async (c) => {
    const ok = await deps.rules.loadCurrent().then(
      () => true,
      () => false,
    );
    return c.json({ ok, progress: deps.progress() }, ok ? 200 : 503);
  });
  page.get('/style.css', (c) => c.body(STYLE, 200, { 'Content-Type': 'text/css; charset=utf-8' }));
  page.get('/icon.svg', (c) => c.body(ICON, 200, { 'Content-Type': 'image/svg+xml' }));
  page.notFound((c) => show(c, notFoundView('such page'), 404));
  return page;
}

/** One rule with the series of `segment`, or else the gravest; `undefined` where there is no such rule or segment. */
async function ruleAt(
  { statuses, ruleSet, now }: Snapshot,
  id: string,
  segment: string | undefined,
  readings: ReadingStore,
): Promise<View | undefined> {
  const status = statuses.find(({ rule }) => rule.id === id);
  if (!status || !ruleSet) return undefined;
  const alert =
    segment === undefined ? status.series[0] : status.series.find((each) => each.segment === segment);
  if (segment !== undefined && !alert) return undefined;
  const { rule } = status;
  const points = alert && !rule.members ? await loadPoints(rule, alert.segment, now, readings) : [];
  return ruleView({ status, routes: ruleSet.routes, alert, points, now });
}

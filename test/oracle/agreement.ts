import fc from 'fast-check';
import { expect } from 'vitest';
import {
  type Columns,
  NOW,
  type Reply,
  type Sample,
  type SampleData,
  sample,
} from '../functions/data-access/sample-app.ts';
import { analyze, type Row } from './analytics.ts';
import { catalogue } from './catalogue.ts';
import { funnel, retention } from './journeys.ts';
import { list } from './lists.ts';
import { requestsAbout } from './random-requests.ts';
import { randomWorld, ZONES } from './random-world.ts';
import { type AnalyticsRequest, type ListRequest, Refusal, type Resource } from './requests.ts';
import type { RawEvent, RawSession, RawVisit, World } from './rows.ts';

/** A world and a service with the same rows. */
export interface Pair {
  readonly world: World;
  readonly shop: Sample;
}

export async function open(world: World): Promise<Pair> {
  const settings = { dashboardUrl: DASHBOARD, rateLimit: { enforce: false } };
  return { world, shop: await sample({ zone: world.zone, settings, ...rowsOf(world) }) };
}

/** The rows of a world in the format of the harness. */
export function rowsOf({ sessions, events, visits }: World): SampleData {
  const users = new Map(sessions.map(({ session_id, user_id }) => [session_id, user_id]));
  const columns = (row: RawSession | RawEvent | RawVisit): Columns => ({
    ...row,
    user_id: users.get(row.session_id) ?? '',
    recorded_at: new Date(row.recorded_at).toISOString(),
    uploaded_at: new Date(row.uploaded_at).toISOString(),
  });
  return { sessions: sessions.map(columns), events: events.map(columns), visits: visits.map(columns) };
}

const DASHBOARD = 'https://dash.example';
export const link = (place: string, id: string): string =>
  `${DASHBOARD}/apps/shop/${place}/${encodeURIComponent(id)}`;

/** The same random world in each of the zones. */
export const openZones = (seed: number): Promise<Pair[]> =>
  Promise.all(Object.keys(ZONES).map((zone, at) => open(randomWorld(seed + at, zone, NOW))));

/** The paths that read a resource. */
interface Route {
  readonly resource: Resource;
  readonly read: 'analytics' | 'catalogue' | 'list';
  readonly style: 'legacy' | 'body';
}
const ROUTES: readonly Route[] = (['legacy', 'body'] as const).flatMap((style) => [
  ...(style === 'legacy' ? [{ style, resource: 'event' as const, read: 'catalogue' as const }] : []),
  ...(['event', 'session', 'user'] as const).flatMap((resource) => [
    { style, resource, read: 'list' as const },
    { style, resource, read: 'analytics' as const },
  ]),
  ...(style === 'body' ? [{ style, resource: 'screen' as const, read: 'analytics' as const }] : []),
]);

type Draw = Required<Pick<fc.Parameters, 'numRuns' | 'seed'>>;

/** Asks random questions about all pairs and expects the answers of the oracle. */
export const agree = (pairs: readonly Pair[], draw: Draw): Promise<void> =>
  checkAny(
    pairs.flatMap((pair) => ROUTES.map((route) => questionOn(pair, route))),
    draw,
  );

/** The same for funnels and retention. */
export const agreeOnJourneys = (pairs: readonly Pair[], draw: Draw): Promise<void> =>
  checkAny(pairs.flatMap(journeysOf), draw);

const checkAny = (questions: readonly fc.Arbitrary<Question>[], draw: Draw): Promise<void> =>
  fc.assert(
    fc.asyncProperty(fc.oneof(...questions), ({ check }) => check()),
    draw,
  );

/** A question. `toString` shows the request, and `check` compares the service with the oracle. */
interface Question {
  readonly check: () => Promise<void>;
}

function questionOn(pair: Pair, route: Route): fc.Arbitrary<Question> {
  const requests = requestsAbout(pair.world);
  const { resource, read } = route;
  const pages = fc.record({
    page: fc.integer({ min: 1, max: 3 }),
    page_size: fc.integer({ min: 1, max: 40 }),
  });
  const show = (request: object) => `${pair.world.zone} ${pathOf(route)} ${JSON.stringify(request)}`;
  if (read === 'analytics') {
    return fc.tuple(requests.analytics(resource), fc.option(pages, { nil: {} })).map(([request, page]) => ({
      check: () => checkAnalytics(pair, route, request, page),
      toString: () => show({ ...request, ...page }),
    }));
  }
  if (read === 'catalogue') {
    const check = () => checkCatalogue(pair, route);
    return fc.constant({ check, toString: () => show({}) });
  }
  if (resource === 'screen') throw new Error('screens have no list');
  return fc.tuple(requests.list(resource), pages).map(([request, page]) => ({
    check: () => checkList(pair, { ...route, resource }, request, page),
    toString: () => show({ ...request, ...page }),
  }));
}

function journeysOf(pair: Pair): fc.Arbitrary<Question>[] {
  const { world, shop } = pair;
  const requests = requestsAbout(world);
  const question = <T extends object>(path: string, asked: fc.Arbitrary<T>, answer: (asked: T) => object[]) =>
    asked.map((request) => ({
      check: async () => {
        const reply = await shop.post(`/api/data-access/v1/${path}`, { ...request, page_size: 2000 });
        const rows = attempt(() => answer(request));
        if (rows instanceof Refusal) return expectRefusal(reply, rows);
        expectSuccess(reply);
        expect(reply.body.data).toEqual(rows.slice(0, 2000));
      },
      toString: () => `${world.zone} ${path} ${JSON.stringify(request)}`,
    }));
  return [
    question('funnel', requests.funnel(), (asked) => funnel(world, asked)),
    question('retention', requests.retention(), (asked) => retention(world, asked)),
  ];
}

interface Page {
  readonly page?: number;
  readonly page_size?: number;
}

const pathOf = ({ resource, read, style }: Route): string =>
  `${style === 'legacy' ? '/v2' : '/api/data-access/v1'}/${resource}${read === 'list' ? '' : `/${read}`}`;

const ask = ({ shop }: Pair, route: Route, request: object): Promise<Reply> =>
  route.style === 'legacy'
    ? shop.get(pathOf(route), { ...request })
    : shop.post(pathOf(route), { ...request });

async function checkAnalytics(
  pair: Pair,
  route: Route,
  request: AnalyticsRequest,
  page: Page,
): Promise<void> {
  const reply = await ask(pair, route, { ...request, ...page });
  const rows = attempt(() => analyze(pair.world, route.resource, request));
  if (rows instanceof Refusal) return expectRefusal(reply, rows);
  const isPaged = route.style === 'body' || page.page_size !== undefined;
  const { page: number = 1, page_size: size = 500 } = page;
  const shown = isPaged ? rows.slice((number - 1) * size, number * size) : rows;
  expectSuccess(reply);
  expectRows(reply.body.data, shown, route.resource);
  const next = isPaged && number * size < rows.length ? number + 1 : null;
  expect(reply.body.pagination).toEqual({ current: isPaged ? number : 1, next, total: rows.length });
}

async function checkCatalogue(pair: Pair, route: Route): Promise<void> {
  const reply = await ask(pair, route, {});
  expectSuccess(reply);
  expect(reply.body.data).toEqual(catalogue(pair.world));
}

/** Changes in percent come rounded to two decimals, and rows on users with a link. */
function expectRows(
  answered: readonly Record<string, unknown>[],
  rows: readonly Row[],
  resource: Resource,
): void {
  const plain = answered.map(({ dashboard_link, ...row }) => {
    if (resource === 'user')
      expect(dashboard_link).toMatch(/^https:\/\/dash\.example\/apps\/shop\/analytics\?/);
    else expect(dashboard_link).toBeUndefined();
    return row;
  });
  const expected = rows.map((row, at) => roundedAs(plain[at] ?? {}, row));
  expect(plain).toEqual(expected);
}

/** The expected row, with each percentage as the service rounded it if the rounding is correct. */
export function roundedAs(answered: Record<string, unknown>, row: Row): Row {
  const fields = Object.entries(row).map(([field, value]): [string, Row[string]] => {
    const given = answered[field];
    if (!field.endsWith('_pct_change') || typeof value !== 'number' || typeof given !== 'number') {
      return [field, value];
    }
    const isRounded = Math.abs(given - value) < 0.005001 && given === Number(given.toFixed(2));
    return [field, isRounded ? given : value];
  });
  return Object.fromEntries(fields);
}

type ListRoute = Route & { readonly resource: Exclude<Resource, 'screen'> };

async function checkList(
  pair: Pair,
  route: ListRoute,
  request: ListRequest,
  { page = 1, page_size: size = 50 }: Page,
): Promise<void> {
  const records = attempt(() => list(pair.world, route.resource, request, link));
  if (route.style === 'body') return checkWalk(pair, route, { ...request, page_size: size }, records);
  const reply = await ask(pair, route, { ...request, page, page_size: size });
  if (records instanceof Refusal) return expectRefusal(reply, records);
  expectSuccess(reply);
  expect(reply.body.data).toEqual(records.slice((page - 1) * size, page * size));
  const next = page * size < records.length ? page + 1 : null;
  expect(reply.body.pagination).toEqual({ current: page, next, total: records.length });
}

/** Follows the cursors for at most three pages. */
async function checkWalk(
  pair: Pair,
  route: ListRoute,
  request: ListRequest & { readonly page_size: number },
  records: object[] | Refusal,
): Promise<void> {
  const size = request.page_size;
  let cursor = '';
  for (let page = 1; page <= 3; page += 1) {
    const reply = await ask(pair, route, { ...request, ...(cursor && { cursor }) });
    if (records instanceof Refusal) return expectRefusal(reply, records);
    expectSuccess(reply);
    expect(reply.body.data).toEqual(records.slice((page - 1) * size, page * size));
    const more = page * size < records.length;
    expect(reply.body.pagination).toMatchObject({
      page_size: size,
      current_page: page,
      next_page: more ? page + 1 : null,
      has_more: more,
      next_cursor: more ? expect.stringMatching(/./) : '',
    });
    if (!more) return;
    cursor = String((reply.body.pagination as { next_cursor: string }).next_cursor);
  }
}

function attempt<T>(answer: () => T): T | Refusal {
  try {
    return answer();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function expectSuccess({ status, body }: Reply): void {
  expect([status, body.error]).toEqual([200, undefined]);
}

function expectRefusal({ status, body }: Reply, { code }: Refusal): void {
  expect([status, body.error?.code]).toEqual([400, code]);
}

import { type HttpServer, listen } from '../../local/http-server.ts';
import { openSlackInbox } from '../../local/inbox/slack-inbox.ts';
import { openLocalSecrets } from '../../local/secrets.ts';
import { createSite } from '../../local/site.ts';
import type { MetricSource } from '../../shared/readings/metric-source.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { openSqliteTable } from '../../shared/store/sqlite-table.ts';
import { cadenceName } from '../../shared/time/cadence.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/units/durations.ts';
import { createFakeMetricSource, type Fact } from '../fakes/fake-metric-source.ts';
import { MONDAY, ruleNamed, ruleSetOf } from '../fixtures/builders.ts';
import { temporaryFolder } from '../fixtures/deltawatch.ts';

/** The first day with few purchases, one day before few searches; and the first normal day after it. */
export const FALL = 30;
export const RECOVERY = 33;
const LAST_DAY = 40;

/** The rules of a team. */
const RULES = [
  ruleNamed('purchases', {
    title: 'Purchases',
    severity: 'critical',
    runbook: 'https://wiki.example.com/runbooks/purchases',
    settle: '10 minutes',
    compare: { to: 'same_weekday' },
    recover_after: '1 of 1',
  }),
  ruleNamed('searches', {
    title: 'Searches',
    settle: '10 minutes',
    compare: { to: 'same_weekday' },
    recover_after: '1 of 1',
    filters: [{ attribute: 'event_name', operator: 'equal', value: 'search' }],
  }),
];

/** A shop with a weekly pattern and daily noise. */
function eventsOn(day: number): Fact[] {
  const expected = 900 + 60 * (day % 7) + ((day * 37) % 41);
  const fallenFrom = (first: number) => (day >= first && day < RECOVERY ? 1 / 5 : 1);
  const happened = {
    purchase: Math.round(expected * fallenFrom(FALL)),
    search: Math.round(4 * expected * fallenFrom(FALL + 1)),
  };
  return Object.entries(happened).map(([event_name, event_count]) => ({
    endpoint: 'event',
    at: MONDAY + day * DAY_MS + 12 * HOUR_MS,
    attributes: { event_name },
    figures: { event_count },
  }));
}

export interface ShopSystem extends AsyncDisposable {
  /** Without a trailing slash. */
  url: string;
  clock: ManualClock;
  /** Runs the tick that evaluates the day `day` days after Monday, 2 March 2026. */
  tick(day: number): Promise<void>;
  /** Advances the clock, by default a minute, and sends due notifications. */
  sweep(afterMs?: number): Promise<void>;
}

/** The whole system in this process, before the incident. Its clock moves only with ticks and sweeps. */
export async function openShopSystem(rules = RULES, happened = eventsOn): Promise<ShopSystem> {
  const folder = await temporaryFolder();
  const clock = new ManualClock(MONDAY);
  const table = openSqliteTable(':memory:', clock);
  const inbox = openSlackInbox({ file: `${folder.path}/inbox.ndjson`, clock });
  let answer: (request: Request) => Response | Promise<Response> = () => new Response(null, { status: 503 });
  const server: HttpServer = await listen((request) => answer(request), { host: '127.0.0.1', port: 0 });
  const events = Array.from({ length: LAST_DAY }, (_, day) => happened(day)).flat();
  const source: MetricSource = {
    ...createFakeMetricSource(events),
    readNewestEventAt: async () => ({ kind: 'read', value: clock.now() }),
  };
  const { system, app } = createSite({
    table,
    clock,
    address: server.url,
    access: { kind: 'open' },
    secrets: await openLocalSecrets(`${folder.path}/secrets.json`, {}),
    inbox,
    sourceFor: () => source,
    progress: () => ({ phase: 'live' }),
  });
  answer = (request) => app.fetch(request);
  await system.rules.save(ruleSetOf(...rules));
  const [first] = rules;
  const cadence = first ? cadenceName(first.cadence) : '';
  const tick = async (day: number) => {
    const at = MONDAY + (day + 1) * DAY_MS + HOUR_MS;
    clock.advanceTo(at);
    await system.tick(cadence, at);
  };
  for (let day = 14; day < FALL; day++) await tick(day);
  return {
    url: server.url,
    clock,
    tick,
    async sweep(afterMs = MINUTE_MS) {
      clock.advanceTo(clock.now() + afterMs);
      await system.notify();
    },
    async [Symbol.asyncDispose]() {
      await server.close(0);
      inbox.close();
      await table.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

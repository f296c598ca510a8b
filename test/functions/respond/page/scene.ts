import { createPage, type PageDeps } from '../../../../functions/respond/page/page.ts';
import { visitorsBy } from '../../../../functions/respond/visitors.ts';
import type { Alert, Notification } from '../../../../shared/alerts/alert.ts';
import type { Delivery } from '../../../../shared/notifications/delivery-log.ts';
import type { Rule } from '../../../../shared/rules/rule.ts';
import { ManualClock } from '../../../../shared/runtime/clock.ts';
import type { Silence } from '../../../../shared/silences/silence.ts';
import { inMemoryStores } from '../../../../shared/store/in-memory/stores.ts';
import { DAY_MS, HOUR_MS } from '../../../../shared/units/durations.ts';
import { alertOf, breached, drivenBy, MONDAY } from '../../../fixtures/builders.ts';

/** Thursday, 5 March 2026, 03:00 UTC. */
export const NOW = MONDAY + 3 * DAY_MS + 3 * HOUR_MS;

/** Text that would be harmful if it were not escaped. */
export const HOSTILE = `<script>alert(1)</script>"'&amp;<img src=x onerror=alert(2)>`;

export interface Shown {
  status: number;
  html: string;
  /** The visible text. */
  text: string;
  headers: Headers;
}

/** A page with empty stores at `NOW`. */
export function createScene({
  clock = new ManualClock(NOW),
  ...overrides
}: Partial<PageDeps> & { clock?: ManualClock } = {}) {
  const stores = inMemoryStores();
  const page = createPage({
    ...stores,
    newId: () => 'id',
    visitors: visitorsBy({ kind: 'open' }, 'http://localhost', clock),
    ...overrides,
  });
  return {
    ...stores,
    page,
    async get(path: string, headers: Record<string, string> = {}): Promise<Shown> {
      const response = await page.request(path, { headers });
      const html = await response.text();
      return { status: response.status, html, text: readable(html), headers: response.headers };
    },
  };
}

export type Scene = ReturnType<typeof createScene>;

function readable(html: string): string {
  return html
    .replace(/<head>.*?<\/head>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
    .replace(/ ([,.:])/g, '$1');
}

/** `rule`, firing since yesterday's window. */
export function firing(rule: Rule, overrides: Partial<Alert> = {}): Alert {
  const last = breached(2);
  const { baseline } = last;
  const { window } = last.current;
  const fired = {
    windowEndAt: window.endAt,
    firstEndAt: window.endAt,
    baseline,
    direction: 'down' as const,
    gap: null,
    drivers: drivenBy({ device_platform: 'android' }),
  };
  const incidents = [window];
  return alertOf(rule, { state: 'firing', stateSinceAt: window.endAt, fired, incidents, last, ...overrides });
}

export function notificationOf(overrides: Partial<Notification> = {}): Notification {
  return {
    transition: 'fired',
    channel: 'team',
    route: 'default',
    tick: 'daily',
    windowEndAt: MONDAY,
    since: MONDAY,
    reason: { code: 'evaluation' },
    evaluation: null,
    firedWindowEndAt: null,
    firstRead: null,
    drivers: null,
    dueAt: NOW,
    attempts: 0,
    ...overrides,
  };
}

export function silenceOf(overrides: Partial<Silence> = {}): Silence {
  const said = { by: 'Anna', at: NOW - HOUR_MS, reason: 'a planned move' };
  return { id: 'one', match: {}, fromAt: NOW - HOUR_MS, untilAt: NOW + HOUR_MS, ...said, ...overrides };
}

export function deliveryOf(overrides: Partial<Delivery> = {}): Delivery {
  return {
    at: NOW - HOUR_MS,
    channel: 'team',
    route: 'default',
    title: 'Purchases down 60%',
    alerts: 1,
    keys: ['purchases##2026-03-05T00:00:00.000Z#fired#'],
    outcome: { kind: 'sent' },
    ...overrides,
  };
}

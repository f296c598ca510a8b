import { inMemoryRateLimiter } from '../../../functions/data-access/requests/in-memory-rate-limiter.ts';
import { createRespond, type RespondDeps } from '../../../functions/respond/respond.ts';
import { signedLinks } from '../../../shared/access/signed-links.ts';
import type { Alert, Answer } from '../../../shared/alerts/alert.ts';
import { firingSince } from '../../../shared/alerts/answers.ts';
import { advance } from '../../../shared/alerts/lifecycle.ts';
import type { Claims, Purpose } from '../../../shared/messages/link-purposes.ts';
import type { Rule } from '../../../shared/rules/rule.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { apiKeysIn } from '../../../shared/store/api-keys.ts';
import { auditLogIn } from '../../../shared/store/audit-log.ts';
import { inMemoryStores } from '../../../shared/store/in-memory/stores.ts';
import { openSqliteTable } from '../../../shared/store/sqlite-table.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import { inMemoryUsedLinks } from '../../fakes/in-memory-used-links.ts';
import { alertOf, breached, MONDAY, ruleNamed, ruleSetOf } from '../../fixtures/builders.ts';

export const NOW = MONDAY + DAY_MS + 9 * HOUR_MS;
export const URL_ROOT = 'https://watch.example.com';
/** The secret that `deltawatch open` reads. */
const COMMAND = 'npx deltawatch open --stage staging';
const KEY = 'm'.repeat(43);
const SESSION_KEY = 'k'.repeat(43);

export const RULE = ruleNamed('sales', { title: 'Sales', recover_after: '1 of 1' });

/** An alert that fired on Monday and notified the channel `team`. */
export function firing(rule: Rule = RULE, overrides: Partial<Alert> = {}): Alert {
  const fired = advance(alertOf(rule), breached(0), rule).alert;
  const notified = {
    transition: 'fired',
    channel: 'team',
    windowEndAt: MONDAY + DAY_MS,
    sentAt: NOW,
  } as const;
  return { ...fired, sent: [notified], ...overrides };
}

export type Desk = Awaited<ReturnType<typeof openDesk>>;

/** `respond` with in-memory stores and one firing alert. `writes` names each write. */
export async function openDesk(
  overrides: Partial<RespondDeps> = {},
  { alert = firing(), rule = RULE }: { alert?: Alert; rule?: Rule } = {},
) {
  const clock = new ManualClock(NOW);
  const writes: string[] = [];
  const logged: { message: string; fields: unknown }[] = [];
  const log = (message: string, fields?: unknown) => void logged.push({ message, fields });
  const table = openSqliteTable(':memory:', clock);
  const logger = { info: log, warn: log, error: log };
  const audit = auditLogIn(table, logger);
  const plain = { ...inMemoryStores(), audit, used: inMemoryUsedLinks() };
  await plain.rules.save(ruleSetOf(rule));
  await plain.alerts.save(alert);
  const watched = <T extends object>(port: T, name: string): T =>
    new Proxy(port, {
      get(target, method) {
        const own: unknown = Reflect.get(target, method);
        if (typeof own !== 'function' || !/^(save|take|finish)/.test(String(method))) return own;
        return (...args: unknown[]) => {
          writes.push(`${name}.${String(method)}`);
          return Reflect.apply(own, target, args);
        };
      },
    });
  const stores = {
    rules: watched(plain.rules, 'rules'),
    alerts: watched(plain.alerts, 'alerts'),
    readings: watched(plain.readings, 'readings'),
    runs: watched(plain.runs, 'runs'),
    silences: watched(plain.silences, 'silences'),
    notes: watched(plain.notes, 'notes'),
    deliveries: watched(plain.deliveries, 'deliveries'),
    audit,
    used: watched(plain.used, 'used'),
  };
  const signer = signedLinks(async () => KEY, clock);
  const sessions = signedLinks(async () => SESSION_KEY, clock);
  let ids = 0;
  const keys = apiKeysIn(table);
  const deps: RespondDeps = {
    ...stores,
    ...{ keys, limiter: inMemoryRateLimiter() },
    signer,
    access: { kind: 'session', command: COMMAND, signer: sessions },
    publicUrl: URL_ROOT,
    newId: () => `id-${++ids}`,
    clock,
    logger,
    ...overrides,
  };
  const app = createRespond(deps);
  let links = 0;
  const sign = <P extends Purpose>(purpose: P, claims: Claims<P>) =>
    (purpose === 'sign-in' || purpose === 'session' ? sessions : signer).sign(
      purpose,
      claims,
      `link-${++links}`,
    );
  return {
    ...plain,
    keys,
    app,
    clock,
    writes,
    logged,
    signer,
    sign,
    request: (path: string, init: RequestInit = {}) => app.request(`${deps.publicUrl}${path}`, init),
    post: (path: string, form: Record<string, string> = {}, headers: Record<string, string> = {}) =>
      app.request(`${deps.publicUrl}${path}`, {
        method: 'POST',
        headers: { Origin: deps.publicUrl, ...headers },
        body: new URLSearchParams(form),
      }),
    /** The path of a link with this answer to the initial alert. */
    linkTo: async (answer: Answer, about: Partial<Claims<'answer'>> = {}) => {
      const { ruleId, segment } = alert;
      const claims = { answer, ruleId, segment, firedWindowEndAt: firingSince(alert) ?? 0, ...about };
      return `/a/${await sign('answer', claims)}`;
    },
    stored: async (): Promise<Alert> => {
      const [stored] = await plain.alerts.load([alert]);
      if (!stored) throw new Error('the alert is gone');
      return stored;
    },
  };
}

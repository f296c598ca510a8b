import type { Alert, AlertKey } from '../../shared/alerts/alert.ts';
import type { AlertStore, UnreadableAlert } from '../../shared/alerts/alert-store.ts';
import { isAtRest, openAlert } from '../../shared/alerts/open-alert.ts';
import { UnreadableItemError, UpstreamError } from '../../shared/runtime/errors.ts';
import type { Faults } from './faults.ts';
import type { Ledger } from './ledger.ts';

/** One alert that the table cannot read or cannot write, from some time on. */
export interface Poison {
  kind: 'unreadable' | 'refused';
  key: AlertKey;
  from: number;
  /** The rules that it may affect: its own, and composite rules with it. */
  rules: ReadonlySet<string>;
}

const KEYS: { key: AlertKey; over: string[] }[] = [
  { key: { ruleId: 'orders', segment: 'Crete' }, over: [] },
  { key: { ruleId: 'orders', segment: null }, over: [] },
  { key: { ruleId: 'sales', segment: null }, over: ['either'] },
  { key: { ruleId: 'shares', segment: null }, over: [] },
];

/** The share of seeds that have one. */
const SHARE = 0.3;

export function poisonOf(faults: Faults, span: { from: number; until: number }): Poison | undefined {
  if (!faults.areDueAt(span.from) || faults.chance('poison') > SHARE) return undefined;
  const { key, over } = KEYS[Math.floor(faults.chance('poison of') * KEYS.length)] ?? KEYS[0] ?? NEVER;
  return {
    kind: faults.chance('poison kind') < 0.5 ? 'unreadable' : 'refused',
    ...{ key, rules: new Set([key.ruleId, ...over]) },
    from: span.from + faults.chance('poison from') * (span.until - span.from),
  };
}

const NEVER = { key: { ruleId: '', segment: null }, over: [] };

/** The store with lagging indexes and the effect of the poison. */
export function poisonedAlerts(
  store: AlertStore,
  { ledger, poison, now }: { ledger: Ledger; poison: Poison | undefined; now: () => number },
): AlertStore {
  const isPoisoned = ({ ruleId, segment }: AlertKey) =>
    poison !== undefined &&
    now() >= poison.from &&
    ruleId === poison.key.ruleId &&
    segment === poison.key.segment;
  const isUnreadable = (key: AlertKey) => poison?.kind === 'unreadable' && isPoisoned(key);
  const readable = async (alerts: Promise<Alert[]>, report?: (alert: UnreadableAlert) => void) => {
    const found = await alerts;
    for (const { ruleId, segment } of found.filter(isUnreadable))
      report?.({ ruleId, segment, reason: 'it is of another form' });
    return found.filter((alert) => !isUnreadable(alert));
  };
  const indexed = () => readable(Promise.resolve(ledger.indexedAt(now())));
  return {
    load: (keys, report) => readable(store.load(keys), report),
    loadOfRule: (ruleId, report) => readable(store.loadOfRule(ruleId), report),
    async save(alert) {
      if (isUnreadable(alert))
        throw new UnreadableItemError({ pk: alert.ruleId, sk: '' }, 'it is of another form');
      if (isPoisoned(alert)) throw new UpstreamError('the item is too large', { retryable: false });
      return store.save(alert);
    },
    loadPending: async (dueAt) =>
      (await indexed())
        .filter(({ pendingAt }) => pendingAt !== null && pendingAt <= dueAt)
        .sort((a, b) => (a.pendingAt ?? 0) - (b.pendingAt ?? 0)),
    loadOpen: async () => (await indexed()).filter((alert) => !isAtRest(alert)).map(openAlert),
    loadIncidents: (report) => store.loadIncidents(report),
  };
}

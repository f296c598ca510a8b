import type { AlertKey } from '../alerts/alert.ts';
import type { AlertStore, UnreadableAlert } from '../alerts/alert-store.ts';
import { appAlertKey, appOf } from '../alerts/app-alert.ts';
import type { AuditLog } from '../alerts/audit.ts';
import type { NoteStore } from '../alerts/note.ts';
import type { RuleSet, RuleStore, Wanted } from '../deployments/rule-store.ts';
import type { DeliveryLog } from '../notifications/delivery-log.ts';
import { alertOfNotificationKey } from '../notifications/notification-key.ts';
import type { RunStore } from '../planning/run-store.ts';
import { InvalidRequestError } from '../runtime/errors.ts';
import { type Match, matchedOf, matches } from '../silences/matching.ts';
import type { SilenceStore } from '../silences/silence.ts';

type Report = (alert: UnreadableAlert) => void;

export interface LimitableStores {
  rules: RuleStore;
  alerts: AlertStore;
  silences: SilenceStore;
  notes: NoteStore;
  deliveries: DeliveryLog;
  runs: RunStore;
  audit: AuditLog;
}

/**
 * The stores as if only these apps existed; `undefined`: all. Also without alerts of removed rules, whose apps are not
 * known. Saving a silence or a note that is not about one of the apps alone throws `InvalidRequestError`.
 */
export function visibleTo<S extends LimitableStores>(apps: ReadonlySet<string> | undefined, stores: S): S {
  if (!apps) return stores;
  const { rules, alerts, silences, notes, deliveries, runs, audit } = stores;
  const loadCurrent = async (wanted?: Wanted): Promise<RuleSet | undefined> => {
    const all = await rules.loadCurrent(wanted);
    return (
      all && {
        ...{ ...all, rules: all.rules.filter(({ app }) => apps.has(app)) },
        ...(all.apps && { apps: all.apps.filter(({ app }) => apps.has(app)) }),
        // It may be of a visible app: a failure must not look like the absence of alerts.
        ...(all.unreadable && { unreadable: ['a rule of an unknown app'] }),
      }
    );
  };
  const visible = async () => {
    const seen = (await loadCurrent())?.rules ?? [];
    const ids = new Set(seen.map(({ id }) => id));
    const has = (about: Pick<AlertKey, 'ruleId'>) => ids.has(about.ruleId) || apps.has(appOf(about) ?? '');
    return { seen, has };
  };
  const only = async <T extends Pick<AlertKey, 'ruleId'>>(
    load: (report?: Report) => Promise<T[]>,
    report?: Report,
  ): Promise<T[]> => {
    const { has } = await visible();
    return (await load(report && ((each) => has(each) && report(each)))).filter(has);
  };
  const requireOwn = async ({ app, rule }: Pick<Match, 'app' | 'rule'>) => {
    const { has } = await visible();
    if (typeof app === 'string' ? apps.has(app) : typeof rule === 'string' && has({ ruleId: rule })) return;
    const names = [...apps].join(', ') || 'none';
    throw new InvalidRequestError(`name one of the apps that you may change (${names}), or a rule of them`);
  };
  return {
    ...stores,
    rules: { ...rules, loadCurrent },
    alerts: {
      ...alerts,
      load: (keys, report) => only((each) => alerts.load(keys, each), report),
      loadOfRule: (id, report) => only((each) => alerts.loadOfRule(id, each), report),
      loadPending: (dueAt) => only(() => alerts.loadPending(dueAt)),
      loadOpen: (report) => only(alerts.loadOpen, report),
      loadIncidents: (report) => only(alerts.loadIncidents, report),
    },
    silences: {
      async save(silence) {
        await requireOwn(silence.match);
        await silences.save(silence);
      },
      /** Those that can hold back messages of these apps. */
      async loadAll() {
        const { seen } = await visible();
        const subjects = [
          ...seen.map((rule) => matchedOf({ alert: { ruleId: rule.id, segment: null }, rule })),
          ...[...apps].map((app) => matchedOf({ alert: appAlertKey(app), rule: undefined })),
        ];
        const all = await silences.loadAll();
        return all.filter(({ match: { segment: _, ...match } }) =>
          subjects.some((each) => matches(match, each)),
        );
      },
    },
    notes: {
      ...notes,
      load: async (wanted) => (await notes.load(wanted)).filter(({ app }) => app === null || apps.has(app)),
      async save(note) {
        await requireOwn({ app: note.app ?? '*' });
        await notes.save(note);
      },
    },
    deliveries: {
      ...deliveries,
      async loadLast(count) {
        const { has } = await visible();
        const isSeen = (key: string) => has(alertOfNotificationKey(key) ?? { ruleId: '' });
        const all = await deliveries.loadLast(count);
        // A message without a key, or with more alerts than keys, may be about other apps.
        return all.filter(
          (each) => each.keys.length === each.alerts && each.alerts > 0 && each.keys.every(isSeen),
        );
      },
    },
    runs: { ...runs, loadMoves: (tick) => only(() => runs.loadMoves(tick)) },
    audit: {
      ...audit,
      async load() {
        throw new InvalidRequestError('the audit log is of all apps, and you may see only some');
      },
    },
  };
}

import type { Rule } from '../rules/rule.ts';
import { type Alert, type AlertKey, newAlert, quiet, type Step } from './alert.ts';
import { unacknowledged } from './alert-states.ts';

/** No rule has such an id: a rule's is a slug. */
const PREFIX = 'app:';

/** The key of an app's own alert, which no rule asks for: it fires while the app sends no data. */
export function appAlertKey(app: string): AlertKey {
  return { ruleId: `${PREFIX}${app}`, segment: null };
}

/** The app whose own alert this is; `undefined` for the alert of a rule. */
export function appOf({ ruleId }: Pick<AlertKey, 'ruleId'>): string | undefined {
  return ruleId.startsWith(PREFIX) ? ruleId.slice(PREFIX.length) : undefined;
}

export function newAppAlert(app: string): Alert {
  return newAlert(appAlertKey(app), 'app', 0);
}

/** Who hears of it: whoever hears what is critical of the app, and the owner where all its rules have the same. */
export function appAddressee(app: string, rules: Rule[]): Addressee {
  const [owner = '', ...others] = new Set(rules.map((rule) => rule.owner));
  return {
    id: appAlertKey(app).ruleId,
    app,
    owner: others.length === 0 ? owner : '',
    severity: 'critical',
  };
}

/** Data older than this are overdue at `scheduledAt`, by the least patient of the app's rules. */
export function overdueBefore(rules: Rule[], scheduledAt: number): number {
  return scheduledAt - Math.min(...rules.map(({ settle, grace }) => settle + grace)) * 60_000;
}

/**
 * Moves an app's own alert on by one tick (`scheduledAt`). It is told once when the newest data are overdue, and once when
 * data come again, however many rules and runs find out. A tick no later than the one that changed it changes nothing.
 */
export function advanceApp(
  alert: Alert,
  seen: { newestDataAt: number; overdueBeforeAt: number; scheduledAt: number },
): Step {
  const { newestDataAt, overdueBeforeAt, scheduledAt } = seen;
  if (scheduledAt <= alert.evaluatedThroughAt) return quiet(alert);
  const isKnown = Number.isFinite(newestDataAt);
  if (!isKnown && alert.state === 'normal') return quiet(alert);
  const state = newestDataAt < overdueBeforeAt ? 'firing' : 'normal';
  const app = appOf(alert) ?? alert.ruleId;
  const newest = isKnown ? newestDataAt : null;
  if (state === alert.state) return quiet(alert);
  const changed: Alert = {
    ...unacknowledged(alert),
    state,
    stateSinceAt: scheduledAt,
    evaluatedThroughAt: scheduledAt,
  };
  return {
    alert: changed,
    news: [
      state === 'firing'
        ? {
            transition: 'stopped',
            reason: { code: 'app-stopped', app, newestDataAt: newest, overdueBeforeAt },
          }
        : { transition: 'resumed', reason: { code: 'app-resumed', app, newestDataAt } },
    ],
  };
}

/** What routes go by: a rule, or the app's own alert, whose id is no rule's. */
export type Addressee = Pick<Rule, 'id' | 'app' | 'owner' | 'severity'> &
  Partial<Pick<Rule, 'quiet'>> & { segment?: string | null };

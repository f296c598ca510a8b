import type { Rule } from '../rules/rule.ts';
import { type Alert, type AlertKey, newAlert, quiet, type Step } from './alert.ts';
import { unacknowledged } from './alert-states.ts';

/** A rule cannot have this id: rule ids are slugs. */
const PREFIX = 'app:';

/** The key of an app alert, which fires while the app sends no data. */
export function appAlertKey(app: string): AlertKey {
  return { ruleId: `${PREFIX}${app}`, segment: null };
}

/** The app of an app alert; `undefined` for the alert of a rule. */
export function appOf({ ruleId }: Pick<AlertKey, 'ruleId'>): string | undefined {
  return ruleId.startsWith(PREFIX) ? ruleId.slice(PREFIX.length) : undefined;
}

export function newAppAlert(app: string): Alert {
  return newAlert(appAlertKey(app), 'app', 0);
}

/** The routing subject: critical, with the owner if all rules of the app share one. */
export function appAddressee(app: string, rules: Rule[]): Addressee {
  const [owner = '', ...others] = new Set(rules.map((rule) => rule.owner));
  return {
    id: appAlertKey(app).ruleId,
    app,
    owner: others.length === 0 ? owner : '',
    severity: 'critical',
  };
}

/** Data older than this is overdue at `scheduledAt`. The strictest rule of the app decides. */
export function overdueBefore(rules: Rule[], scheduledAt: number): number {
  return scheduledAt - Math.min(...rules.map(({ settle, grace }) => settle + grace)) * 60_000;
}

/**
 * Updates an app alert for one run (`scheduledAt`). It notifies once when the newest data is overdue and once when
 * data arrives, however many rules and runs find it. A run no later than the last change has no effect.
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

/** The routing subject: a rule or an app alert. */
export type Addressee = Pick<Rule, 'id' | 'app' | 'owner' | 'severity'> &
  Partial<Pick<Rule, 'quiet'>> & { segment?: string | null };

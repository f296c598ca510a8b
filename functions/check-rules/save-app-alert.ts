import type { Alert } from '../../shared/alerts/alert.ts';
import { advanceApp, appAddressee, appAlertKey, newAppAlert } from '../../shared/alerts/app-alert.ts';
import { queueNews } from '../../shared/notifications/pending-notifications.ts';
import type { Routes } from '../../shared/notifications/routes.ts';
import type { Batch } from '../../shared/planning/plan.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { UpstreamError } from '../../shared/runtime/errors.ts';
import type { Freshness } from './due-rules.ts';
import { type SavingDeps, saveAlert } from './save-alerts.ts';

/**
 * Updates the alert of the app with the freshness that this batch found. Any batch of a tick may be the first to find
 * out. Returns `undefined` if the service could not be asked, or the stored alert cannot be read or replaced.
 */
export async function saveAppAlert(
  { newestDataAt, trouble }: Freshness,
  about: { batch: Batch; rules: Rule[]; routes: Routes; overdueBeforeAt: number },
  deps: SavingDeps,
): Promise<Alert | undefined> {
  const { alerts } = deps;
  const { batch, rules, routes, overdueBeforeAt } = about;
  const { app, scheduledAt } = batch;
  if (trouble || rules.length === 0) return undefined;
  const key = appAlertKey(app);
  let isUnreadable = false;
  const [known] = await alerts.load([key], () => {
    isUnreadable = true;
  });
  if (isUnreadable) return undefined;
  try {
    return await saveAlert(key, known, alerts, (stored) => {
      const alert = stored ?? newAppAlert(app);
      const step = advanceApp(alert, { newestDataAt, overdueBeforeAt, scheduledAt });
      const tick = { id: batch.tick, scheduledAt };
      const occasion = { windowEndAt: scheduledAt, evaluation: null, firedWindowEndAt: null, tick };
      return queueNews(step, appAddressee(app, rules), routes, occasion);
    });
  } catch (error) {
    if (!(error instanceof UpstreamError) || error.retryable) throw error;
    deps.logger.error('the alert of an app cannot be saved', { app, reason: error.message });
    deps.meter.count('AlertsUnsaved');
    return undefined;
  }
}

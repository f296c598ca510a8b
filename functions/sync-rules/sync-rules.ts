import type { Alert } from '../../shared/alerting/alerts/alert.ts';
import type { AlertStore } from '../../shared/alerting/alerts/alert-store.ts';
import { appAlertKey } from '../../shared/alerting/alerts/app-alert.ts';
import { endRemovedRule, watchedBy } from '../../shared/alerting/deployments/removed-rules.ts';
import type { RuleSet, RuleStore, Saving } from '../../shared/alerting/deployments/rule-store.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { ConfigError, ConflictError, UpstreamError } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';

/** Alerts that are saved beside one another: a noisy rule may have thousands of segments. */
const AT_ONCE = 32;

export interface SyncDeps {
  rules: RuleStore;
  alerts: AlertStore;
  clock: Clock;
  logger: Logger;
}

/** An alert that cannot be saved is tried again after these. */
const PAUSES_MS = [200, 1000, 4000];

/**
 * Puts `ruleSet` in force, whole or not at all; one that already is in force and can be read is left as it is. Either way what is open of
 * rules that are gone ends: nobody judges it any more, and those who were told of it wait for its end. Throws
 * `ConflictError` where something else was put in force meanwhile, or is another than what `saving` is to replace, and
 * `UpstreamError` where the rules are in force but some alert of a removed rule could not be ended: the same call ends it.
 */
export async function syncRules(
  ruleSet: RuleSet,
  deps: SyncDeps,
  saving: Pick<Saving, 'replacing' | 'by'> = {},
): Promise<'saved' | 'unchanged'> {
  const { rules, logger } = deps;
  const current = await rules.findCurrent();
  const before = current && (await loadReplaced(deps));
  const isReadable = before !== undefined && before.unreadable === undefined;
  const isSame = current?.version === ruleSet.version && isReadable;
  if (!isSame) {
    await rules.save(ruleSet, { ...saving, at: deps.clock.now() });
    logger.info('rules in force', {
      version: ruleSet.version,
      rules: ruleSet.rules.length,
      replaced: current?.version,
    });
  }
  await endRemovedRules(ruleSet, before, deps);
  return isSame ? 'unchanged' : 'saved';
}

/** Rules that cannot be read are no reason to keep them: others in their place are the way back. */
async function loadReplaced({ rules, logger }: SyncDeps): Promise<RuleSet | undefined> {
  try {
    return await rules.loadCurrent();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    logger.warn('the rules that are replaced cannot be read', { reason: error.message });
    return undefined;
  }
}

async function endRemovedRules(
  { rules, routes }: RuleSet,
  before: RuleSet | undefined,
  deps: SyncDeps,
): Promise<void> {
  const isWatched = watchedBy({ rules });
  const ids = [...(before?.rules ?? []).map(({ id }) => id), ...(before?.unreadable ?? [])];
  const apps = (before?.rules ?? []).map(({ app }) => appAlertKey(app).ruleId);
  const removed = [...new Set([...ids, ...apps])].filter((ruleId) => !isWatched({ ruleId }));
  // What lists open alerts trails behind; those of the rules that just went are read where they are stored.
  const ofRemoved = await Promise.all(removed.map((id) => deps.alerts.loadOfRule(id)));
  const open = await deps.alerts.load((await deps.alerts.loadOpen()).filter((alert) => !isWatched(alert)));
  const removedRules = [...ofRemoved.flat(), ...open.filter(({ ruleId }) => !removed.includes(ruleId))];
  const at = deps.clock.now();
  let left = await endAll(removedRules);
  for (const pause of PAUSES_MS) {
    if (left.length === 0) break;
    await deps.clock.sleep(pause);
    left = await endAll(left);
  }
  if (removedRules.length > 0)
    deps.logger.info('alerts of removed rules ended', { alerts: removedRules.length - left.length });
  if (left.length > 0) throw new UpstreamError(unended(left), { retryable: true });

  /** Those that could not be saved. */
  async function endAll(alerts: Alert[]): Promise<Alert[]> {
    const failed: Alert[] = [];
    for (let i = 0; i < alerts.length; i += AT_ONCE)
      await Promise.all(alerts.slice(i, i + AT_ONCE).map((alert) => end(alert, failed)));
    return failed;
  }

  async function end(alert: Alert, failed: Alert[]): Promise<void> {
    try {
      await saveEnded(alert);
    } catch (error) {
      deps.logger.error('the alert of a removed rule could not be ended', { rule: alert.ruleId, error });
      failed.push(alert);
    }
  }

  async function saveEnded(alert: Alert | undefined): Promise<void> {
    const ended = alert && endRemovedRule(alert, routes, at);
    if (!ended || ended === alert) return;
    try {
      await deps.alerts.save(ended);
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      const { ruleId, segment } = ended;
      const [stored] = await deps.alerts.load([{ ruleId, segment }]);
      await saveEnded(stored);
    }
  }
}

function unended(left: Alert[]): string {
  const rules = [...new Set(left.map(({ ruleId }) => ruleId))].join(', ');
  return `the rules are in force, but not all open alerts of removed rules could be ended (${rules}); deploy again`;
}

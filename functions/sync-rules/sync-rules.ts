import type { Alert } from '../../shared/alerting/alert.ts';
import type { AlertStore, RuleSet, RuleStore, Saving } from '../../shared/alerting/ports.ts';
import { endUnwatched, watchedBy } from '../../shared/alerting/unwatched.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { ConflictError } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';

/** Alerts that are saved beside one another: a noisy rule may have thousands of segments. */
const AT_ONCE = 32;

export interface SyncDeps {
  rules: RuleStore;
  alerts: AlertStore;
  clock: Clock;
  logger: Logger;
}

/**
 * Puts `ruleSet` in force, whole or not at all; one that already is in force is left as it is. Either way what is open of
 * rules that are gone ends: nobody judges it any more, and those who were told of it wait for its end. Throws
 * `ConflictError` where something else was put in force meanwhile, or is another than what `saving` is to replace.
 */
export async function syncRules(
  ruleSet: RuleSet,
  deps: SyncDeps,
  saving: Pick<Saving, 'replacing' | 'by'> = {},
): Promise<'saved' | 'unchanged'> {
  const { rules, logger } = deps;
  const current = await rules.findCurrent();
  const isSame = current?.version === ruleSet.version;
  if (!isSame) {
    await rules.save(ruleSet, { ...saving, at: deps.clock.now() });
    logger.info('rules in force', {
      version: ruleSet.version,
      rules: ruleSet.rules.length,
      replaced: current?.version,
    });
  }
  await endWhatIsUnwatched(ruleSet, deps);
  return isSame ? 'unchanged' : 'saved';
}

async function endWhatIsUnwatched({ rules, routes }: RuleSet, deps: SyncDeps): Promise<void> {
  const isWatched = watchedBy({ rules });
  const open = await deps.alerts.loadOpen();
  const unwatched = await deps.alerts.load(open.filter((alert) => !isWatched(alert)));
  const at = deps.clock.now();
  for (let i = 0; i < unwatched.length; i += AT_ONCE)
    await Promise.all(unwatched.slice(i, i + AT_ONCE).map(end));
  if (unwatched.length > 0) deps.logger.info('alerts of removed rules ended', { alerts: unwatched.length });

  // The rules are in force by now. One that cannot be ended is tried again by the next deployment.
  async function end(alert: Alert): Promise<void> {
    try {
      await saveEnded(alert);
    } catch (error) {
      deps.logger.error('the alert of a removed rule could not be ended', { rule: alert.ruleId, error });
    }
  }

  async function saveEnded(alert: Alert | undefined): Promise<void> {
    const ended = alert && endUnwatched(alert, routes, at);
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

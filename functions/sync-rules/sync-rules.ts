import type { Alert } from '../../shared/alerts/alert.ts';
import type { AlertStore } from '../../shared/alerts/alert-store.ts';
import { appAlertKey } from '../../shared/alerts/app-alert.ts';
import type { Actor, AuditLog } from '../../shared/alerts/audit.ts';
import { endRemovedRule, watchedBy } from '../../shared/deployments/removed-rules.ts';
import type { RuleSet, RuleStore, Saving } from '../../shared/deployments/rule-store.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { ConfigError, ConflictError, UpstreamError } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { canonical } from '../../shared/text/content-hash.ts';

/** Alerts that are saved concurrently: a noisy rule may have thousands of segments. */
const AT_ONCE = 32;

export interface SyncDeps {
  rules: RuleStore;
  alerts: AlertStore;
  audit: Pick<AuditLog, 'save'>;
  clock: Clock;
  logger: Logger;
}

/** Pauses before retries of alerts that could not be saved. */
const PAUSES_MS = [200, 1000, 4000];

/**
 * Activates `ruleSet`, completely or not at all. If it is already active and readable, it stays as it is. In both
 * cases, saves the links to its lines, which move without changing a rule, and ends the open alerts of removed rules,
 * because their channels wait for an end. Throws `ConflictError` if another rule set was activated meanwhile, or the
 * active one is not `saving.replacing`. Throws `UpstreamError` if the rules are active but an alert of a removed rule
 * could not be ended: calling it again ends it.
 */
export async function syncRules(
  ruleSet: RuleSet,
  deps: SyncDeps,
  saving: Pick<Saving, 'replacing' | 'by' | 'deployment'> & Partial<Pick<Actor, 'how'>> = {},
): Promise<'saved' | 'unchanged'> {
  const { rules, logger } = deps;
  const current = await rules.findCurrent();
  const before = current && (await loadReplaced(deps));
  const isReadable = before !== undefined && before.unreadable === undefined;
  const isSame = current?.version === ruleSet.version && isReadable;
  if (isSame && saving.deployment) {
    const { version, sinceAt, by, digestSinceAt } = current;
    const { deployment } = saving;
    await rules.save(ruleSet, { replacing: version, at: sinceAt, by, digestSinceAt, deployment });
  } else if (!isSame) {
    // Rules of a deployment that others have replaced are not restored.
    const deployment =
      saving.deployment ?? (current?.deployment && { ...current.deployment, replaced: null });
    const { digest } = ruleSet.routes;
    const isKept = digest && current && canonical(before?.routes.digest) === canonical(digest);
    const digestSinceAt = isKept ? (current.digestSinceAt ?? current.sinceAt ?? 0) : undefined;
    const at = deps.clock.now();
    await rules.save(ruleSet, { ...saving, at, digestSinceAt, deployment });
    const { by = null, how = saving.deployment ? 'deployment' : 'cli' } = saving;
    await deps.audit.save({ at, by, how, kind: 'rules-deployed', on: ruleSet.version, app: null });
    logger.info('rules activated', {
      version: ruleSet.version,
      rules: ruleSet.rules.length,
      replaced: current?.version,
    });
  }
  if (ruleSet.sourceLinks) await rules.saveSourceLinks(ruleSet.sourceLinks);
  await endRemovedRules(ruleSet, before, deps);
  return isSame ? 'unchanged' : 'saved';
}

/** Unreadable rules do not stop the new ones: replacing them is how to recover. */
async function loadReplaced({ rules, logger }: SyncDeps): Promise<RuleSet | undefined> {
  try {
    return await rules.loadCurrent();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    logger.warn('the previous rules cannot be read', { reason: error.message });
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
  // The index of open alerts lags behind, so alerts of rules that were just removed are read from the table.
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

  /** Returns the alerts that could not be saved. */
  async function endAll(alerts: Alert[]): Promise<Alert[]> {
    const failed: Alert[] = [];
    const end = (alert: Alert) =>
      saveEnded(alert).catch((error: unknown) => {
        deps.logger.error('the alert of a removed rule could not be ended', { rule: alert.ruleId, error });
        failed.push(alert);
      });
    for (let i = 0; i < alerts.length; i += AT_ONCE) await Promise.all(alerts.slice(i, i + AT_ONCE).map(end));
    return failed;
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
  return `the rules are active, but not all open alerts of removed rules could be ended (${rules}); deploy again`;
}

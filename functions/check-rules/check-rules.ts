import type { Alert } from '../../shared/alerts/alert.ts';
import type { AlertStore } from '../../shared/alerts/alert-store.ts';
import {
  advanceApp,
  appAddressee,
  appAlertKey,
  appOf,
  mayHaveStopped,
  newAppAlert,
  overdueBefore,
  type SeenOfApp,
  type WatchedApp,
} from '../../shared/alerts/app-alert.ts';
import { MATCH_DAYS } from '../../shared/alerts/matches-nothing.ts';
import { largestMoves, type Move, moveOf } from '../../shared/alerts/moves.ts';
import {
  completeThrough,
  SILENCE_DAYS,
  silenceQuestion,
  usualSilence,
} from '../../shared/alerts/usual-silence.ts';
import { appsIn, type RuleStore } from '../../shared/deployments/rule-store.ts';
import { healthText } from '../../shared/messages/reason-text.ts';
import { queueNews } from '../../shared/notifications/pending-notifications.ts';
import type { Routes } from '../../shared/notifications/routes.ts';
import type { Batch, WakeUpQueue } from '../../shared/planning/plan.ts';
import type { RunStore } from '../../shared/planning/run-store.ts';
import type { MetricSource } from '../../shared/readings/metric-source.ts';
import type { ReadingStore } from '../../shared/readings/snapshots.ts';
import { hasSegments } from '../../shared/rules/rule.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { ConfigError, UpstreamError } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { Meter } from '../../shared/runtime/metrics.ts';
import { DAY_MS, HOUR_MS } from '../../shared/units/durations.ts';
import { type EvaluatedRule, evaluateDueRule, type Freshness, loadDueRules } from './due-rules.ts';
import { evaluateComposites } from './evaluate-composites.ts';
import type { OnEvaluated, OnUnseen, SeriesTask } from './evaluate-series.ts';
import { fireExplainer } from './explain-fires.ts';
import { type Gap, gapOf } from './gather-readings.ts';
import { type ReadFamilies, readingFrom } from './read-families.ts';
import { type SavingDeps, saveAlert, saveDueRule } from './save-alerts.ts';

/** Callbacks with the findings of a run. Called again if another run saved first and the rule is evaluated again. */
interface Findings {
  evaluated: OnEvaluated;
  unseen?: OnUnseen;
  /** Not all windows of the rule could be evaluated. */
  unevaluated: (ruleId: string, gap: Gap) => void;
}

export interface CheckRulesDeps {
  rules: RuleStore;
  alerts: AlertStore;
  readings: ReadingStore;
  runs: RunStore;
  sourceFor: (app: string) => MetricSource;
  /** By default, asks the source of the app and stores its answers. */
  readFamilies?: ReadFamilies;
  findings?: Findings;
  wakeUps: WakeUpQueue;
  clock: Clock;
  logger: Logger;
  meter: Meter;
}

/**
 * Checks one batch of a tick: reads what its rules need, evaluates every rule, and saves each alert with one
 * conditional write of its new state and pending notifications. It can be repeated from any point: windows that were
 * evaluated are not evaluated again.
 */
export async function checkRules(batch: Batch, deps: CheckRulesDeps): Promise<void> {
  const startedAt = deps.clock.now();
  const ruleSet = await deps.rules.loadCurrent({ ids: new Set(batch.checks.map(({ ruleId }) => ruleId)) });
  if (!ruleSet) throw new ConfigError('a batch was queued, but no rules are deployed');
  const app = appsIn(ruleSet).find((each) => each.app === batch.app);
  const overdueBeforeAt = app ? overdueBefore(app, batch.scheduledAt) : -Infinity;
  const freshness = await freshnessOf(batch, overdueBeforeAt, deps);
  const { routes } = ruleSet;
  const about = { batch, watched: app, routes, overdueBeforeAt };
  const appAlert = await saveAppAlert(freshness, about, deps);
  const silences = appAlert?.incidents ?? [];
  const source = deps.sourceFor(batch.app);
  const completeThroughAt = await completeThroughOf(batch, freshness, source);
  const dueRules = await loadDueRules(batch, ruleSet, deps.alerts, {
    ...freshness,
    completeThroughAt,
    silences,
  });
  const readFamilies = deps.readFamilies ?? readingFrom(source, deps.readings, () => deps.clock.now());
  const families = await readFamilies(dueRules, { startedAt, batch, trouble: freshness.trouble });
  let withPending = appAlert?.pendingAt != null;
  const explainFire = fireExplainer(source, () => deps.clock.now());
  const { evaluated: onEvaluated, unseen: onUnseen } = deps.findings ?? {};
  const moves: Move[] = [];
  const tick = { id: batch.tick, scheduledAt: batch.scheduledAt };
  const run = { routes, tick, newestDataAt: completeThroughAt, silences, onEvaluated, onUnseen };
  for (const { members, gathering } of families) {
    const evaluated = members.map((dueRule) => evaluateDueRule(dueRule, gathering, run));
    const saved = await Promise.all(evaluated.map((dueRule) => saveDueRule(dueRule, deps, explainFire)));
    withPending ||= saved.flat().some((alert) => alert.pendingAt !== null);
    moves.push(...evaluated.flatMap(({ task }, i) => movesIn(task, saved[i] ?? [])));
    report(evaluated, saved, deps);
  }
  const composites = await evaluateComposites(batch, ruleSet, deps, onEvaluated);
  withPending ||= composites.some((alert) => alert.pendingAt !== null);
  await deps.runs.finishBatch(batch.tick, batch.id);
  if (withPending) await deps.wakeUps.send([{ tick: batch.tick }]);
  // Last, because notifications do not depend on it.
  if (moves.length > 0) await deps.runs.saveMoves(batch.tick, batch.id, largestMoves(moves));
}

/** The largest move of the rule in the windows of this batch, whether this run evaluated them or an earlier attempt. */
function movesIn({ rule, windows }: SeriesTask, alerts: Alert[]): Move[] {
  const [first] = windows;
  const move = first && moveOf(rule, alerts, first.endAt);
  return move ? [move] : [];
}

/**
 * When the newest event of the app was recorded. Asks the service only if no run has seen an event that is new enough.
 * The first question covers 30 days, so that the answer distinguishes a stopped app from one that never sent an event.
 */
async function freshnessOf(batch: Batch, overdueBeforeAt: number, deps: CheckRulesDeps): Promise<Freshness> {
  const windows = batch.checks.flatMap((check) => check.windows);
  const neededAt = Math.max(overdueBeforeAt, ...windows.map(({ endAt }) => endAt));
  const known = await deps.runs.loadNewestEventAt(batch.app);
  if (known !== undefined && known >= neededAt) return { newestDataAt: known };
  const longAgo = batch.scheduledAt - MATCH_DAYS * 86_400_000;
  const since = known ?? Math.min(longAgo, overdueBeforeAt, ...windows.map(({ startAt }) => startAt));
  const result = await deps.sourceFor(batch.app).readNewestEventAt(batch.app, since);
  const knownAt = known ?? -Infinity;
  if (result.kind !== 'read') return { newestDataAt: knownAt, trouble: gapOf(result) };
  const newestDataAt = Math.max(result.value ?? -Infinity, knownAt);
  if (newestDataAt > knownAt) await deps.runs.saveNewestEventAt(batch.app, newestDataAt);
  return { newestDataAt };
}

/** Asks what is usual only for a day or longer: the hours of a silent app hold too few events to fire. */
async function completeThroughOf(
  { app, checks, scheduledAt }: Batch,
  { newestDataAt, trouble }: Freshness,
  source: MetricSource,
): Promise<number> {
  const windows = checks.flatMap((check) => check.windows).filter(({ endAt }) => endAt > newestDataAt);
  const isLong = windows.some(({ startAt, endAt }) => endAt - startAt > HOUR_MS);
  if (trouble || !isLong || !Number.isFinite(newestDataAt)) return newestDataAt;
  return completeThrough(windows, await eventsBefore(app, newestDataAt, source), {
    newestDataAt,
    now: scheduledAt,
  });
}

/** The events of the app by hour, oldest first; none if the service does not answer. */
async function eventsBefore(app: string, newestDataAt: number, source: MetricSource): Promise<number[]> {
  const answer = await source.readRange(silenceQuestion(app, newestDataAt), 'spare');
  return answer.kind === 'read' ? answer.value.map(([row]) => row?.current?.event_count ?? 0) : [];
}

function report(
  evaluated: EvaluatedRule[],
  saved: Alert[][],
  { logger, meter, findings }: CheckRulesDeps,
): void {
  const evaluations = evaluated.map(({ task: { rule, windows } }, i) => {
    const ofSegments = saved[i]?.filter(({ segment }) => segment !== null) ?? [];
    return (hasSegments(rule) ? ofSegments.length : 1) * windows.length;
  });
  meter.count(
    'Evaluations',
    evaluations.reduce((sum, count) => sum + count, 0),
  );
  for (const { task, gap } of evaluated) if (gap) findings?.unevaluated(task.rule.id, gap);
  for (const [kind, dueRules] of Map.groupBy(evaluated, ({ gap }) => gap?.kind)) {
    if (!kind) continue;
    if (kind === 'failed') meter.count('ReadsFailed', dueRules.length);
    const gap = dueRules[0]?.gap;
    const fields = {
      rules: dueRules.map(({ task }) => task.rule.id),
      reason: gap && healthText(gap.reason, 'UTC'),
    };
    // Not an error: a small app is late with its first event of an hour every night. A stop has its own notification.
    logger[kind === 'failed' ? 'error' : 'info']('rules could not be evaluated', fields);
  }
}

/**
 * Updates the alert of the app with the freshness that this batch found. Any batch of a tick may be the first to find
 * out. Returns `undefined` if the service could not be asked, or the stored alert cannot be read or replaced.
 */
async function saveAppAlert(
  { newestDataAt, trouble }: Freshness,
  about: { batch: Batch; watched: WatchedApp | undefined; routes: Routes; overdueBeforeAt: number },
  deps: SavingDeps & Pick<CheckRulesDeps, 'sourceFor'>,
): Promise<Alert | undefined> {
  const { alerts } = deps;
  const { batch, watched, routes, overdueBeforeAt } = about;
  const { app, scheduledAt } = batch;
  if (trouble || !watched) return undefined;
  const key = appAlertKey(app);
  const seen = { newestDataAt, overdueBeforeAt, scheduledAt };
  let isUnreadable = false;
  const [known] = await alerts.load([key], () => {
    isUnreadable = true;
  });
  if (isUnreadable) return undefined;
  const usual = await usualOf(known ?? newAppAlert(app), seen, deps);
  try {
    return await saveAlert(key, known, alerts, (stored) => {
      const step = advanceApp({ ...(stored ?? newAppAlert(app)), ...usual }, seen);
      const tick = { id: batch.tick, scheduledAt };
      const occasion = { windowEndAt: scheduledAt, evaluation: null, firedWindowEndAt: null, tick };
      return queueNews(step, appAddressee(watched), routes, occasion);
    });
  } catch (error) {
    if (!(error instanceof UpstreamError) || error.retryable) throw error;
    deps.logger.error('the alert of an app cannot be saved', { app, reason: error.message });
    deps.meter.count('AlertsUnsaved');
    return undefined;
  }
}

/** How long the app is usually silent. Asks the service once for each silence that may be a stop. */
async function usualOf(
  alert: Alert,
  seen: SeenOfApp,
  { sourceFor }: Pick<CheckRulesDeps, 'sourceFor'>,
): Promise<Pick<Alert, 'usualSilence'>> {
  const { newestDataAt } = seen;
  const app = appOf(alert);
  if (!app || !mayHaveStopped(alert, seen) || alert.usualSilence?.newestDataAt === newestDataAt) return {};
  const events = await eventsBefore(app, newestDataAt, sourceFor(app));
  const since = newestDataAt - SILENCE_DAYS * DAY_MS;
  const reported = alert.incidents.filter(({ startAt }) => startAt >= since);
  return { usualSilence: { newestDataAt, ms: usualSilence(events, reported) } };
}

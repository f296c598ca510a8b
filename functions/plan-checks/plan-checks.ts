import type { Alert } from '../../shared/alerts/alert.ts';
import type { AlertStore } from '../../shared/alerts/alert-store.ts';
import { appsIn, type RuleStore } from '../../shared/deployments/rule-store.ts';
import { callShortageText } from '../../shared/messages/call-shortage-text.ts';
import { runsWithinAWeek } from '../../shared/planning/call-cost.ts';
import { type CallShortage, callShortages } from '../../shared/planning/call-shortage.ts';
import { type BatchQueue, dueWindows, planBatches, tickId } from '../../shared/planning/plan.ts';
import type { RunStore } from '../../shared/planning/run-store.ts';
import { meaningOf } from '../../shared/readings/series.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { Meter } from '../../shared/runtime/metrics.ts';
import { cadenceName } from '../../shared/time/cadence.ts';
import { HOUR_MS } from '../../shared/units/durations.ts';

/** The lock for reports of shortages. They need all rules, so the first run of each half day makes them. */
const SHORTAGES = 'call-shortages';
const REPORT_MS = 12 * HOUR_MS;

interface PlanChecksDeps {
  rules: RuleStore;
  alerts: AlertStore;
  runs: RunStore;
  batches: BatchQueue;
  /** The calls that each app may use in an hour. Without it, planning does not look for a shortage. */
  callsPerHour?: number;
  logger: Logger;
  meter: Meter;
}

/**
 * Plans one tick of one cadence: finds the windows that are due since the last evaluation of each rule, and queues them
 * in batches. The next tick catches up on a missed one. Planning a tick twice queues the same batches, which are
 * evaluated once.
 */
export async function planChecks(
  { cadence, scheduledAt }: { cadence: string; scheduledAt: number },
  { rules, alerts, runs, batches, callsPerHour, logger, meter }: PlanChecksDeps,
): Promise<{ batches: number; checks: number }> {
  const ruleSet = await rules.loadCurrent({ cadence });
  const due = ruleSet?.rules.filter((rule) => cadenceName(rule.cadence) === cadence) ?? [];
  if (!ruleSet || due.length === 0) {
    logger.warn('no rule has this cadence', { cadence });
    return { batches: 0, checks: 0 };
  }
  const known = await alerts.load(due.map((rule) => ({ ruleId: rule.id, segment: null })));
  const evaluatedThrough = new Map(known.map((alert) => [alert.ruleId, alert]));
  const checks = due.map((rule) => {
    const throughAt = evaluatedThroughAt(rule, evaluatedThrough.get(rule.id));
    const windows = dueWindows(rule, scheduledAt, throughAt);
    const isCut = throughAt !== undefined && windows[0] !== undefined && windows[0].startAt > throughAt;
    if (isCut) logger.warn('catching up only the latest windows', { ruleId: rule.id, cadence });
    return { ruleId: rule.id, meaning: meaningOf(rule), windows };
  });

  const id = tickId(cadence, scheduledAt);
  const planned = planBatches({ id, scheduledAt }, ruleSet, checks);
  await runs.saveTick({ id, scheduledAt, batches: planned.map((batch) => batch.id) });
  await batches.send(planned);
  // Last, because nothing may keep rules from being evaluated.
  if (callsPerHour !== undefined && (await runs.takeLock(SHORTAGES, scheduledAt, scheduledAt + REPORT_MS))) {
    const asked = { now: scheduledAt, perHour: callsPerHour, runsOf: runsWithinAWeek(scheduledAt) };
    // App by app: hundreds of thousands of rules would not fit into the memory of the function.
    for (const { app } of appsIn(ruleSet)) {
      const ofApp = (await rules.loadCurrent({ app }))?.rules ?? [];
      for (const shortage of callShortages(ofApp, asked)) reportShortage(shortage, { logger, meter });
    }
  }
  logger.info('planned', { tick: id, batches: planned.length, rules: due.length });
  return { batches: planned.length, checks: checks.length };
}

/** Reports that calls will be missing in the next day, before they are and windows are evaluated late. */
function reportShortage(
  shortage: CallShortage,
  { logger, meter }: Pick<PlanChecksDeps, 'logger' | 'meter'>,
): void {
  const { app, needed, allowed } = shortage;
  meter.count('CallsMissing', needed - allowed);
  logger.warn('the rules need more calls than are allowed', { app, reason: callShortageText(shortage) });
}

/** A rule whose meaning changed starts again, with its latest window. */
function evaluatedThroughAt(rule: Rule, alert: Alert | undefined): number | undefined {
  return alert?.ruleHash === meaningOf(rule) ? alert.evaluatedThroughAt : undefined;
}

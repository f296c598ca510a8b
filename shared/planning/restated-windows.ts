import type { Alert } from '../alerts/alert.ts';
import { openBreaches } from '../alerts/lifecycle.ts';
import type { Rule } from '../rules/rule.ts';
import { MAX_CATCH_UP } from '../time/cadence.ts';
import { lastClosedWindow, type Window, windowBefore, windowEnding } from '../time/window.ts';

/** A window that was evaluated and may have changed. Only snapshots read at `since` or later count. */
export interface Again {
  window: Window;
  since: number;
}

/** The most breaches to restate in each run. Older ones wait until they can no longer change. */
const MAX_BREACHES = 3;

/**
 * The windows to read and evaluate again at `scheduledAt`, oldest first. Each window is restated once when it can no
 * longer change. Until then, the newest breaches of open alerts are restated with every new window. `alerts` are all
 * alerts of the rule with its current meaning.
 */
export function windowsToRestate(rule: Rule, alerts: Alert[], scheduledAt: number): Again[] {
  const calendar = { grain: rule.window, zone: rule.zone };
  const restateMs = rule.restate_for * 60_000;
  // The alert of the whole rule is saved last, so its `evaluatedThroughAt` holds for all segments.
  const whole = alerts.find(({ segment }) => segment === null);
  const remembered = new Set(alerts.flatMap(({ recent }) => recent.map(({ endAt }) => endAt)));
  if (!whole || remembered.size === 0) return [];

  const again = new Map<number, Again>();
  // The previous tick was not before the last evaluated window had settled.
  const previousRunAt = whole.evaluatedThroughAt + rule.settle * 60_000;
  let window = lastClosedWindow(scheduledAt - restateMs, calendar);
  for (let i = 0; i < MAX_CATCH_UP && window.endAt + restateMs > previousRunAt; i++) {
    if (remembered.has(window.endAt)) again.set(window.endAt, { window, since: window.endAt + restateMs });
    window = windowBefore(window, calendar);
  }
  const settled = lastClosedWindow(scheduledAt - rule.settle * 60_000, calendar);
  const since = settled.endAt + rule.settle * 60_000;
  const breaches = [...new Set(alerts.flatMap(openBreaches))].sort((a, b) => b - a).slice(0, MAX_BREACHES);
  for (const endAt of breaches)
    if (scheduledAt < endAt + restateMs) again.set(endAt, { window: windowEnding(endAt, calendar), since });
  return [...again.values()].sort((a, b) => a.window.endAt - b.window.endAt);
}

import type { Alert } from '../alerts/alert.ts';
import { openBreaches } from '../alerts/lifecycle.ts';
import type { Rule } from '../rules/rule.ts';
import { MAX_CATCH_UP } from '../time/cadence.ts';
import { lastClosedWindow, type Window, windowBefore, windowEnding } from '../time/window.ts';

/** A window that was judged before and may have changed since: only what is read from `since` on will do. */
export interface Again {
  window: Window;
  since: number;
}

/** Of an incident that goes on for days, older windows wait until they can change no more. */
const MAX_BREACHES = 3;

/**
 * The windows to be read and judged again at `scheduledAt`, oldest first: each once when it can change no more, and
 * the newest that an open alert stands on with every new window until then. `alerts` are all of the rule, of its
 * present meaning.
 */
export function windowsToRestate(rule: Rule, alerts: Alert[], scheduledAt: number): Again[] {
  const calendar = { grain: rule.window, zone: rule.zone };
  const restateMs = rule.restate_for * 60_000;
  // Saved after those of its segments: what it says was judged is so for all of them.
  const whole = alerts.find(({ segment }) => segment === null);
  const remembered = new Set(alerts.flatMap(({ recent }) => recent.map(({ endAt }) => endAt)));
  if (!whole || remembered.size === 0) return [];

  const again = new Map<number, Again>();
  // The tick before this one came when the last window judged had settled, or later.
  const lookedAt = whole.evaluatedThroughAt + rule.settle * 60_000;
  let window = lastClosedWindow(scheduledAt - restateMs, calendar);
  for (let i = 0; i < MAX_CATCH_UP && window.endAt + restateMs > lookedAt; i++) {
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

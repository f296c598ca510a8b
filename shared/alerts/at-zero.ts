import type { AttributeName } from '../contract/attributes.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import type { Fired } from '../evaluation/fired.ts';
import { asksForSeason, SEASONAL_WINDOWS } from '../evaluation/season.ts';
import { groupsOf } from '../rules/group-by.ts';
import type { Rule } from '../rules/rule.ts';
import { endAfter } from '../time/window.ts';
import type { Alert } from './alert.ts';

/** Versions, devices, people and campaigns end naturally: a segment that stays at 0 is retired. */
const RETIRING: ReadonlySet<AttributeName> = new Set([
  ...(['app_version', 'sdk_version', 'device_os_version', 'browser_version', 'device_model'] as const),
  ...(['device_id', 'session_id', 'svcuserid', 'user_name', 'user_custom_property'] as const),
  ...(['utm', 'user_first_utm', 'referer', 'referer_domain'] as const),
  ...(['user_first_referer', 'user_first_referer_domain'] as const),
]);

/** Whether the window shows that the level lasts: it breaches, or it has enough volume and has not recovered. */
export function isAway({ verdict, recovered, gates }: Evaluation): boolean {
  const isConclusive = gates.every(({ gate, passed }) => passed || (gate !== 'volume' && gate !== 'holiday'));
  return verdict === 'breached' || (verdict === 'clear' && !recovered && isConclusive);
}

/** The alert with `evaluation` counted among the windows of its fire. */
export function withLasted(alert: Alert, evaluation: Evaluation): Alert {
  const { fired } = alert;
  if (!fired || !isAway(evaluation)) return alert;
  const { windows, atZero } = fired.lasted ?? { windows: 0, atZero: 0 };
  const lasted = { windows: windows + 1, atZero: atZero + Number(evaluation.current.value === 0) };
  return { ...alert, fired: { ...fired, lasted } };
}

/** Whether more than half of the windows since the fire are at 0. Such a level becomes no baseline by itself. */
export function isAtZero({ lasted }: Fired, rule: Rule): boolean {
  if (!lasted || groupsOf(rule).some(({ attribute }) => RETIRING.has(attribute))) return false;
  return lasted.atZero > lasted.windows / 2;
}

/**
 * Whether a series is back after so long at 0 that the model has no earlier data. No window could be compared with the
 * old level, so the alert would never end.
 */
export function isBackFromZero(fired: Fired, { current }: Evaluation, rule: Rule): boolean {
  const { window: grain, zone } = rule;
  if (rule.members || !asksForSeason(rule) || !isAtZero(fired, rule)) return false;
  if (grain !== 'hour' && grain !== 'day') return false;
  const forgottenAt = endAfter(fired.windowEndAt, SEASONAL_WINDOWS[grain], { grain, zone });
  return current.window.endAt > forgottenAt && (current.value ?? 0) > 0;
}

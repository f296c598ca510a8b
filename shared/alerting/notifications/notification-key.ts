import type { AlertKey, Notification } from '../alerts/alert.ts';

/** Identifies one message: whoever repeats the same work owes the same debt. */
export function notificationKey(
  alert: AlertKey,
  {
    windowEndAt,
    transition,
    channel,
    reminder,
    revision,
  }: Pick<Notification, 'windowEndAt' | 'transition' | 'channel' | 'reminder' | 'revision'>,
): string {
  const windowEnd = new Date(windowEndAt).toISOString();
  const what = [transition, revision, reminder].filter((part) => part !== undefined).join('-');
  return [alert.ruleId, alert.segment ?? '', windowEnd, what, channel].join('#');
}

/**
 * The alert that a `debtKey` is of; `undefined` for a key of something else. The key does not tell an empty segment from
 * none: both are `''`. Only a segment and the name of an app can hold a `#`, and an app's alert has no segment.
 */
export function alertOfNotificationKey(key: string): { ruleId: string; segment: string } | undefined {
  const [, of] = /^(.*)#\d{4}-\d\d-\d\dT[\d:.]+Z#[a-z0-9-]+#[^#]*$/s.exec(key) ?? [];
  if (of === undefined) return undefined;
  if (of.startsWith('app:')) return { ruleId: of.slice(0, -1), segment: '' };
  const end = of.indexOf('#');
  return end < 0 ? undefined : { ruleId: of.slice(0, end), segment: of.slice(end + 1) };
}

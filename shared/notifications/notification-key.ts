import type { AlertKey, Notification } from '../alerts/alert.ts';

/** Identifies one notification, so that repeating a run does not queue it twice. */
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
 * The alert of a `notificationKey`; `undefined` for any other key. A key has `''` both for an empty segment and for
 * none. Only a segment and an app name can contain `#`, and an app alert has no segment.
 */
export function alertOfNotificationKey(key: string): { ruleId: string; segment: string } | undefined {
  const [, of] = /^(.*)#\d{4}-\d\d-\d\dT[\d:.]+Z#[a-z0-9-]+#[^#]*$/s.exec(key) ?? [];
  if (of === undefined) return undefined;
  if (of.startsWith('app:')) return { ruleId: of.slice(0, -1), segment: '' };
  const end = of.indexOf('#');
  return end < 0 ? undefined : { ruleId: of.slice(0, end), segment: of.slice(end + 1) };
}

import type { Alert } from './alert.ts';

/** Since when it is as it is: what fires does so from the begin of the first window in breach on. */
export function sinceOf({ fired, incidents, stateSinceAt }: Alert): number {
  return fired ? (incidents.at(-1)?.startAt ?? fired.windowEndAt) : stateSinceAt;
}

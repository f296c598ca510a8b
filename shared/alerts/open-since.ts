import type { Alert } from './alert.ts';

/** Start of the current state. A firing alert starts at the beginning of its first breaching window. */
export function sinceOf({ fired, incidents, stateSinceAt }: Alert): number {
  return fired ? (incidents.at(-1)?.startAt ?? fired.windowEndAt) : stateSinceAt;
}

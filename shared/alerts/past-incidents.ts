import type * as z from 'zod';
import type { Window } from '../time/window.ts';
import { DAY_MS } from '../units/durations.ts';
import { type Alert, alertSchema, isOpen } from './alert.ts';
import { acceptedSpan } from './expected-band.ts';

export const pastIncidentsSchema = alertSchema.pick({
  ...{ ruleId: true, segment: true, state: true },
  ...{ incidents: true, levelSinceAt: true, levelAcceptedAt: true },
});
/** The parts of an alert that its incidents are in. */
export type PastIncidents = z.infer<typeof pastIncidentsSchema>;

/** Days for which stores list the incidents of alerts at rest. */
export const LISTED_DAYS = 90;

export interface Incident extends Window {
  /** It has not ended yet. */
  isOpen: boolean;
}

/** The remembered incidents of an alert, oldest first, with a level that was rebaselined. One that is open lasts until `now`. */
export function incidentsOf(alert: PastIncidents, now: number): Incident[] {
  const accepted = acceptedSpan(alert);
  const ended = alert.incidents.map((each) => ({ ...each, isOpen: false }));
  const last = isOpen(alert.state) ? ended.pop() : undefined;
  const spans = [...ended, ...(accepted ? [{ ...accepted, isOpen: false }] : [])];
  const open = last ? [{ startAt: last.startAt, endAt: Math.max(last.endAt, now), isOpen: true }] : [];
  return [...spans, ...open].toSorted((a, b) => a.startAt - b.startAt);
}

/** Whether an incident was in the listed days before the last evaluated window. */
export function hasListedIncident(alert: PastIncidents & Pick<Alert, 'evaluatedThroughAt'>): boolean {
  const fromAt = alert.evaluatedThroughAt - LISTED_DAYS * DAY_MS;
  return incidentsOf(alert, 0).some(({ endAt }) => endAt > fromAt);
}

export function pastIncidents(alert: Alert): PastIncidents {
  return pastIncidentsSchema.parse(alert);
}

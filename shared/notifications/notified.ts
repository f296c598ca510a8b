import type { Addressee } from '../alerts/app-alert.ts';
import { coveredSpans, coveringAt } from '../time/route-calendar.ts';
import type { Window } from '../time/window.ts';
import { type Escalation, escalationsOf } from './escalations.ts';
import { type Receiver, type Routes, receiversOf, routesAtAnyTime, routesFor } from './routes.ts';

/** Who is notified of an alert that is found at one time. */
export interface Notified {
  /** At once. */
  receivers: Receiver[];
  /** When their route is no longer muted. */
  muted: Receiver[];
  /** If nobody answers what was sent at once. */
  escalations: Escalation[];
}

export interface NotifiedSpan extends Notified, Window {}

export function notifiedAt(about: Addressee, routes: Routes, at: number): Notified {
  const applying = routesFor(about, routes, at);
  const covering = coveringAt(routes.calendars, at);
  const muted = new Set(
    applying.filter(({ mute }) => mute.some((name) => covering.has(name))).map(({ name }) => name),
  );
  const isMuted = ({ route }: Receiver) => muted.has(route);
  const all = receiversOf(applying);
  const receivers = all.filter((each) => !isMuted(each));
  const isStarted = ({ startChannels }: Escalation) =>
    receivers.some(({ channel }) => startChannels.includes(channel));
  return {
    receivers,
    muted: all.filter(isMuted),
    escalations: escalationsOf(applying).filter((each) => !isMuted(each) && isStarted(each)),
  };
}

/** Who is notified in each part of `range`, in order. It changes only where a calendar starts or ends. */
export function notifiedWithin(about: Addressee, routes: Routes, range: Window): NotifiedSpan[] {
  const names = routesAtAnyTime(about, routes).flatMap(({ active = [], mute }) => [...active, ...mute]);
  const spans = names.flatMap((name) => coveredSpans(name, routes.calendars, range));
  const times = new Set([
    range.startAt,
    range.endAt,
    ...spans.flatMap(({ startAt, endAt }) => [startAt, endAt]),
  ]);
  const ordered = [...times].toSorted((a, b) => a - b);
  return ordered.slice(0, -1).map((startAt, i) => ({
    ...{ startAt, endAt: ordered[i + 1] ?? range.endAt },
    ...notifiedAt(about, routes, startAt),
  }));
}

import { asksNobody } from '../alerts/transitions.ts';
import { matchedOf, matches } from '../silences/matching.ts';
import { holdsNow, type Silence } from '../silences/silence.ts';
import { coveringAt, lastCoveredUntil } from '../time/route-calendar.ts';
import { lazyBy } from '../units/lazy.ts';
import { mayHaveBegun, openOn } from './notification-history.ts';
import { type HeldBy, type PendingNotification, plannedAt } from './pending.ts';
import { type Routes, routeOf, settingsOf } from './routes.ts';

/** What holds notifications back at one moment: mute calendars, silences and snoozes. */
export interface Holds {
  /** Whether it must not be sent now. The end of a notified alert is never held. */
  isHeld(pending: PendingNotification): boolean;
  /** What held it back until now; `undefined` if nothing did. */
  heldBy(pending: PendingNotification): HeldBy | undefined;
}

export function holdsAt(now: number, routes: Routes, silences: Silence[]): Holds {
  const current = silences.filter((silence) => holdsNow(silence, now));
  const { calendars } = routes;
  const covering = coveringAt(calendars, now);
  // Thousands of notifications share one run, and calendars are slow to query.
  const ends = lazyBy((name: string) =>
    lazyBy((fromAt: number) => lastCoveredUntil(name, calendars, { fromAt, throughAt: now })),
  );

  return {
    isHeld(pending) {
      if (isAwaited(pending)) return false;
      const { snoozed } = pending.alert;
      const isSnoozed = snoozed !== null && (snoozed.untilAt === null || now < snoozed.untilAt);
      if (isSnoozed || settingsOf(routeOf(pending, routes), routes).mute.some((name) => covering.has(name)))
        return true;
      return current.some(({ match }) => matches(match, matchedOf(pending)));
    },

    heldBy(pending) {
      if (isAwaited(pending)) return undefined;
      const fromAt = plannedAt(pending);
      const zone = pending.rule?.zone ?? pending.zone;
      const byCalendars = settingsOf(routeOf(pending, routes), routes).mute.map((name) => ({
        by: 'calendar' as const,
        name,
        untilAt: ends(name)(fromAt),
        zone: calendars[name]?.zone,
      }));
      const bySilences = silences
        .filter((silence) => silence.fromAt < silence.untilAt && matches(silence.match, matchedOf(pending)))
        .map(({ by, untilAt }) => ({ by: 'silence' as const, name: by, untilAt, zone }));
      const { snoozed } = pending.alert;
      const bySnooze = snoozed
        ? [{ by: 'snooze' as const, name: snoozed.by, untilAt: snoozed.untilAt, zone }]
        : [];
      const held = [...byCalendars, ...bySilences, ...bySnooze].flatMap(({ untilAt, ...each }) =>
        untilAt !== null && fromAt < untilAt && untilAt <= now ? [{ ...each, untilAt }] : [],
      );
      const [last] = held.toSorted((a, b) => b.untilAt - a.untilAt);
      return last && { ...last, zone: last.zone ?? 'UTC' };
    },
  };
}

/** Whether the channel may know of the alert that this ends or answers. */
function isAwaited({ alert, notification }: PendingNotification): boolean {
  const { channel, transition } = notification;
  if (!asksNobody(transition)) return false;
  return openOn(alert, channel, transition) !== undefined || mayHaveBegun(alert, channel, transition);
}

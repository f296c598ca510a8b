import type { Alert } from '../alerts/alert.ts';
import {
  isAnswer,
  isEnd,
  opens,
  shareCondition,
  TRANSITIONS,
  type Transition,
} from '../alerts/transitions.ts';
import { waitingFor } from './notification-history.ts';
import { DEFAULT } from './route-faults.ts';
import type { Receiver, Routes } from './routes.ts';

/**
 * A beginning goes to `receivers`. Later news also goes to the channels that know, or will know, of the beginning, and
 * an end or an answer only to them. An end also goes to `receivers` if no channel knows of the beginning, or if one that
 * knows of it was removed.
 */
export function recipients(
  alert: Alert,
  receivers: Receiver[],
  transition: Transition,
  { channels }: Routes,
): Receiver[] {
  const route = receivers[0]?.route ?? DEFAULT;
  const own = (channel: string) => receivers.find((each) => each.channel === channel) ?? { channel, route };
  const notified = waitingFor(alert, transition);
  if (isAnswer(transition)) return notified.map(own);
  const known = [...notified, ...awaiting(alert, transition)];
  const waiting = known.filter((each) => Object.hasOwn(channels, each));
  const all = () => [...new Set([...receivers.map(({ channel }) => channel), ...waiting])].map(own);
  // A channel that was renamed or removed may be one of the receivers under another name.
  const isOneRemoved = waiting.length < known.length;
  if (isEnd(transition) && waiting.length > 0) return isOneRemoved ? all() : [...new Set(waiting)].map(own);
  if (TRANSITIONS[transition].on.role !== 'continues') return receivers;
  return all();
}

/** The channels for which a beginning of the same condition is pending. */
function awaiting({ pending }: Alert, transition: Transition): string[] {
  return Object.values(pending).flatMap((beginning) =>
    opens(beginning.transition) && shareCondition(transition, beginning.transition)
      ? [beginning.channel]
      : [],
  );
}

import type { Refusal, SendResult } from '../messages/channel.ts';
import type { Clock } from '../runtime/clock.ts';
import { refusedForNow } from './refusals.ts';

/** The outcome of one call. `goesOn`: the refusal does not affect the calls after it. */
export interface Turn {
  sentKeys: string[];
  refusal?: Refusal;
  goesOn?: boolean;
}

/** Time limit of a message with all its calls: a sender has a minute for all messages. */
const FOR_MS = 15_000;

/**
 * Sends a message in several calls, for channels that take items one by one. Stops at a refusal that would affect the
 * other calls, or after the time limit, at which `signal` aborts the current call. A refusal names the keys that were
 * delivered. It is permanent only if all others were refused permanently.
 */
export async function sendInTurn(
  calls: ((signal: AbortSignal) => Promise<Turn>)[],
  clock: Clock,
  forMs = FOR_MS,
): Promise<SendResult> {
  const untilAt = clock.now() + forMs;
  const signal = AbortSignal.timeout(forMs);
  const sentKeys: string[] = [];
  const refusals: Refusal[] = [];
  let isLate = false;
  for (const call of calls) {
    isLate = signal.aborted || clock.now() >= untilAt;
    if (isLate) break;
    const turn = await call(signal);
    sentKeys.push(...turn.sentKeys);
    if (turn.refusal) refusals.push(signal.aborted ? tooLong(forMs) : turn.refusal);
    if (turn.refusal && !turn.goesOn) break;
  }
  const [first] = refusals.toSorted((a, b) => Number(a.permanent) - Number(b.permanent));
  if (!first && !isLate) return { kind: 'sent' };
  const refusal = first ?? tooLong(forMs);
  return { ...refusal, permanent: refusal.permanent && !isLate, sentKeys };
}

function tooLong(forMs: number): Refusal {
  return refusedForNow(`sending takes longer than ${forMs} ms; the rest follows`);
}

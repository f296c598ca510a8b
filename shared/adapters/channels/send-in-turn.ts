import type { Refusal, SendResult } from '../../alerting/messages/channel.ts';
import type { Clock } from '../../runtime/clock.ts';
import { refusedForNow } from './refusals.ts';

/** What one call of several brought. `goesOn`: the refusal says nothing of the calls that follow. */
export interface Turn {
  sentKeys: string[];
  refusal?: Refusal;
  goesOn?: boolean;
}

/** A message takes no longer than this and its last call: whoever sends it has a minute for all of them. */
const FOR_MS = 15_000;

/**
 * Sends a message call by call, as channels want it that take items one by one: `calls` are made in order until one is
 * refused in a way that the others would be too, or it takes too long. A refusal names the keys that got through, and is
 * permanent only if everything that did not was refused for good.
 */
export async function sendInTurn(calls: (() => Promise<Turn>)[], clock: Clock): Promise<SendResult> {
  const untilAt = clock.now() + FOR_MS;
  const sentKeys: string[] = [];
  const refusals: Refusal[] = [];
  let isLate = false;
  for (const call of calls) {
    isLate = clock.now() >= untilAt;
    if (isLate) break;
    const turn = await call();
    sentKeys.push(...turn.sentKeys);
    if (turn.refusal) refusals.push(turn.refusal);
    if (turn.refusal && !turn.goesOn) break;
  }
  const [first] = refusals.toSorted((a, b) => Number(a.permanent) - Number(b.permanent));
  if (!first && !isLate) return { kind: 'sent' };
  const refusal = first ?? refusedForNow(`it takes longer than ${FOR_MS} ms; the rest follows`);
  return { ...refusal, permanent: refusal.permanent && !isLate, sentKeys };
}

import type { SendResult } from '../../shared/alerting/messages/channel.ts';
import { digestMessage } from '../../shared/alerting/messages/digest-message.ts';
import type { Digest } from '../../shared/alerting/notifications/digest.ts';
import {
  cadenceOfDigest,
  type DigestSettings,
  duePeriod,
  nextDigestAt,
} from '../../shared/alerting/notifications/digest-schedule.ts';
import { cadenceName } from '../../shared/alerting/time/cadence.ts';
import { loadDigest } from './load-digest.ts';
import { attempt, receiverNamed } from './send-group.ts';
import type { NotifyDeps, Sweep } from './sweep.ts';

/** A sender that stops is replaced after this time: longer than a run of the function. */
const LEASE_MS = 120_000;

interface Taken {
  channel: string;
  turn: string;
  leasedUntilAt: number;
}

/**
 * Sends the digest that is due, to each channel on its own. A channel that refuses it gets it with a later sweep, for a
 * day. After a crash it may be sent twice, never not at all. It never throws: a digest must not stop the alerts that are
 * sent beside it.
 */
export async function sendDigest(deps: NotifyDeps): Promise<void> {
  const { rules, clock, logger } = deps;
  try {
    const ruleSet = await rules.loadCurrent();
    const settings = ruleSet?.routes.digest;
    if (!ruleSet || !settings) return;
    const deployedAt = (await rules.findCurrent())?.sinceAt ?? 0;
    const period = duePeriod(settings, clock.now(), deployedAt);
    if (!period) return;
    const taken = await takeChannels(settings, deps);
    if (taken.length === 0) return;
    const until = nextDigestAt(settings, period);
    let sent: ReadonlySet<string> = new Set();
    try {
      const digest = await loadDigest(ruleSet, { period, zone: settings.zone }, deps);
      sent = await sendTo(taken, digest, { ...deps, ruleSet });
    } finally {
      await Promise.all(taken.map((each) => settleTurn(each, sent.has(each.channel) ? until : null, deps)));
    }
  } catch (error) {
    logger.error('a digest failed; retrying in a minute', { reason: reasonOf(error) });
  }
}

/** The channels that have not got this digest, and that no other sweep is sending it to. */
async function takeChannels(settings: DigestSettings, { runs, clock }: NotifyDeps): Promise<Taken[]> {
  const cadence = cadenceName(cadenceOfDigest(settings));
  const taken: Taken[] = [];
  for (const channel of new Set(settings.channels)) {
    const now = clock.now();
    const each = { channel, turn: `digest#${cadence}#${channel}`, leasedUntilAt: now + LEASE_MS };
    if (await runs.takeTurn(each.turn, now, each.leasedUntilAt)) taken.push(each);
  }
  return taken;
}

/** The channels that accepted it. */
async function sendTo(
  taken: Taken[],
  digest: Digest,
  to: NotifyDeps & Pick<Sweep, 'ruleSet'>,
): Promise<Set<string>> {
  const results = await Promise.all(
    taken.map(async ({ channel }): Promise<[string, SendResult]> => {
      const receiver = await receiverNamed(channel, to);
      const message = { ...digestMessage(digest, channel), overviewUrl: to.links?.overviewUrl ?? null };
      return [channel, await attempt(receiver.channel, message)];
    }),
  );
  for (const [channel, result] of results)
    if (result.kind === 'refused')
      to.logger.error('a digest could not be sent; it is tried again', { channel, reason: result.reason });
  return new Set(results.flatMap(([channel, { kind }]) => (kind === 'refused' ? [] : [channel])));
}

/** Keeps the turn until the next digest, or gives it back for the next sweep. */
async function settleTurn(
  { turn, leasedUntilAt }: Taken,
  keptUntilAt: number | null,
  { runs, clock }: NotifyDeps,
): Promise<void> {
  await runs.giveBackTurn(turn, leasedUntilAt);
  if (keptUntilAt !== null) await runs.takeTurn(turn, clock.now(), keptUntilAt);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown error';
}

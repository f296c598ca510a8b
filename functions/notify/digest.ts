import type { UnreadableAlert } from '../../shared/alerts/alert-store.ts';
import { appAlertKey } from '../../shared/alerts/app-alert.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import type { SendResult } from '../../shared/messages/channel.ts';
import { digestMessage } from '../../shared/messages/digest-message.ts';
import { type Digest, digestOf, partOfRule } from '../../shared/notifications/digest.ts';
import {
  cadenceOfDigest,
  type DigestSettings,
  duePeriod,
  nextDigestAt,
} from '../../shared/notifications/digest-schedule.ts';
import { errorText } from '../../shared/runtime/errors.ts';
import { cadenceName } from '../../shared/time/cadence.ts';
import type { Window } from '../../shared/time/window.ts';
import { eachOf } from './loaded-alerts.ts';
import { attempt, logDelivery, outcomeOf, receiverNamed } from './send-group.ts';
import type { NotifyDeps, Sweep } from './sweep.ts';

/** A sender that stops is replaced after this time: longer than a run of the function. */
const LEASE_MS = 120_000;

/** The wait after a refusal, and after one that only a person can end. */
const RETRY_MS = 600_000;
const RETRY_PERMANENT_MS = 3_600_000;

interface Taken {
  channel: string;
  lock: string;
  leasedUntilAt: number;
}

/**
 * Sends the digest that is due, to each channel on its own. A channel that refuses it gets it with a later sweep, for a
 * day. Each attempt is in the delivery log. After a crash it may be sent twice, never not at all. It never throws: a
 * digest must not stop the alerts that are sent beside it.
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
    let results: ReadonlyMap<string, SendResult> = new Map();
    try {
      const digest = await loadDigest(ruleSet, { period, zone: settings.zone }, deps);
      results = await sendTo(taken, digest, { ...deps, ruleSet });
    } finally {
      const keptUntilAt = ({ channel }: Taken) => nextTryAt(results.get(channel), until, clock.now());
      await Promise.all(taken.map((each) => settleLock(each, keptUntilAt(each), deps)));
    }
  } catch (error) {
    logger.error('a digest failed; retrying in a minute', { reason: errorText(error) });
  }
}

/** The newest deliveries that are searched for those of the period. */
const DELIVERIES = 10_000;

/** Reads all alerts of the deployed rules once, some rules at a time, and keeps only what the digest says of them. */
async function loadDigest(
  { rules, unreadable = [] }: Pick<RuleSet, 'rules' | 'unreadable'>,
  { period, zone }: { period: Window; zone: string },
  { alerts, silences, deliveries }: Pick<NotifyDeps, 'alerts' | 'silences' | 'deliveries'>,
): Promise<Digest> {
  const unreadApps: UnreadableAlert[] = [];
  const apps = [...new Set(rules.map(({ app }) => app))];
  const parts = await eachOf(rules, async (rule) => {
    const unread: UnreadableAlert[] = [];
    const own = await alerts.loadOfRule(rule.id, (each) => void unread.push(each));
    return partOfRule(rule, own, unread, period);
  });
  const appAlerts = await alerts.load(apps.map(appAlertKey), (each) => void unreadApps.push(each));
  return digestOf(parts, {
    ...{ period, zone, appAlerts },
    unreadable: { rules: unreadable, alerts: unreadApps },
    deliveries: await deliveries.loadLast(DELIVERIES),
    silences: await silences.loadAll(),
  });
}

/** The channels that have not got this digest, and that no other sweep is sending it to. */
async function takeChannels(settings: DigestSettings, { runs, clock }: NotifyDeps): Promise<Taken[]> {
  const cadence = cadenceName(cadenceOfDigest(settings));
  const taken: Taken[] = [];
  for (const channel of new Set(settings.channels)) {
    const now = clock.now();
    const each = { channel, lock: `digest#${cadence}#${channel}`, leasedUntilAt: now + LEASE_MS };
    if (await runs.takeLock(each.lock, now, each.leasedUntilAt)) taken.push(each);
  }
  return taken;
}

/** The answers of the channels. */
async function sendTo(
  taken: Taken[],
  digest: Digest,
  to: NotifyDeps & Pick<Sweep, 'ruleSet'>,
): Promise<Map<string, SendResult>> {
  const sendToOne = async ({ channel }: Taken): Promise<[string, SendResult]> => {
    const receiver = await receiverNamed(channel, to);
    const message = { ...digestMessage(digest, channel), overviewUrl: to.links?.overviewUrl ?? null };
    const result = await attempt(receiver.channel, message);
    if (result.kind === 'refused')
      to.logger.error('a digest could not be sent; it is tried again', { channel, reason: result.reason });
    const about = { channel, route: 'digest', title: `Digest: ${message.title}`, alerts: 0, keys: [] };
    await logDelivery({ ...about, ...outcomeOf(result, to) }, to);
    return [channel, result];
  };
  return new Map(await Promise.all(taken.map(sendToOne)));
}

/** When the channel gets a digest again: after a failure of Deltawatch itself with the next sweep. */
function nextTryAt(result: SendResult | undefined, nextDigest: number, now: number): number | null {
  if (!result) return null;
  if (result.kind !== 'refused') return nextDigest;
  return Math.min(nextDigest, now + (result.permanent ? RETRY_PERMANENT_MS : RETRY_MS));
}

/** Keeps the lock until then, or releases it for the next sweep. */
async function settleLock(
  { lock, leasedUntilAt }: Taken,
  keptUntilAt: number | null,
  { runs, clock }: NotifyDeps,
): Promise<void> {
  await runs.releaseLock(lock, leasedUntilAt);
  if (keptUntilAt !== null) await runs.takeLock(lock, clock.now(), keptUntilAt);
}

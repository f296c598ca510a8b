import type { UnreadableAlert } from '../../shared/alerts/alert-store.ts';
import { appAlertKey } from '../../shared/alerts/app-alert.ts';
import { NO_RULES, type RuleSet } from '../../shared/deployments/rule-store.ts';
import { digestMessage } from '../../shared/messages/digest-message.ts';
import { type Digest, digestOf, partOfRule } from '../../shared/notifications/digest.ts';
import { doneUntil, duePeriod } from '../../shared/notifications/digest-schedule.ts';
import { errorText } from '../../shared/runtime/errors.ts';
import type { Window } from '../../shared/time/window.ts';
import { MINUTE_MS } from '../../shared/units/durations.ts';
import { isWaiting, waitAsAsked } from './delivery-results.ts';
import { eachOf } from './loaded-alerts.ts';
import { attempt, channelNamed, logDelivery, outcomeOf } from './send-group.ts';
import type { NotifyDeps, Sweep } from './sweep.ts';

/** The wait after a refusal, a failure or a crash. */
const RETRY_MS = 10 * MINUTE_MS;

/**
 * Sends the digest that is due, to each channel on its own. A channel that does not accept it gets it again after ten
 * minutes, for a day. Each attempt is in the delivery log. After a crash it may be sent twice, never not at all. It never
 * throws: a digest must not stop the alerts that are sent beside it.
 */
export async function sendDigest(deps: NotifyDeps): Promise<void> {
  const { rules, runs, clock, logger } = deps;
  try {
    const settings = (await rules.loadCurrent(NO_RULES))?.routes.digest;
    if (!settings) return;
    const deployed = await rules.findCurrent();
    const now = clock.now();
    const period = duePeriod(settings, now, deployed?.digestSinceAt ?? deployed?.sinceAt ?? 0);
    if (!period) return;
    const retryAt = now + RETRY_MS;
    const due: string[] = [];
    for (const channel of settings.channels)
      if ((await runs.takeLock(lockOf(channel), now, retryAt)) && !(await isWaiting(channel, deps)))
        due.push(channel);
    const ruleSet = due.length > 0 ? await rules.loadCurrent() : undefined;
    if (!ruleSet) return;
    const digest = await loadDigest(ruleSet, { period, zone: settings.zone }, deps);
    const doneUntilAt = doneUntil(settings, period);
    await Promise.all(
      due.map(async (channel) => {
        // In one step, so that no other sweep takes it between. At `retryAt` it is free.
        if (await sendTo(channel, digest, { ...deps, ruleSet }))
          await runs.takeLock(lockOf(channel), retryAt, doneUntilAt);
      }),
    );
  } catch (error) {
    logger.error('a digest failed; it is tried again', { reason: errorText(error) });
  }
}

/** Held while the digest is not due again, or until the next attempt. */
const lockOf = (channel: string): string => `digest#${channel}`;

/** Reads all alerts of the deployed rules once, some rules at a time, and keeps only what the digest says of them. */
async function loadDigest(
  { rules, unreadable = [] }: Pick<RuleSet, 'rules' | 'unreadable'>,
  { period, zone }: { period: Window; zone: string },
  { alerts }: Pick<NotifyDeps, 'alerts'>,
): Promise<Digest> {
  const unreadApps: UnreadableAlert[] = [];
  const apps = [...new Set(rules.map(({ app }) => app))];
  const parts = await eachOf(rules, async (rule) => {
    const unread: UnreadableAlert[] = [];
    const own = await alerts.loadOfRule(rule.id, (each) => void unread.push(each));
    return partOfRule(rule, own, unread, period);
  });
  const appAlerts = await alerts.load(apps.map(appAlertKey), (each) => void unreadApps.push(each));
  return digestOf(parts, { period, zone, appAlerts, unreadable: { rules: unreadable, alerts: unreadApps } });
}

/** Whether the channel has accepted it. */
async function sendTo(
  channel: string,
  digest: Digest,
  to: NotifyDeps & Pick<Sweep, 'ruleSet'>,
): Promise<boolean> {
  const message = { ...digestMessage(digest, channel), overviewUrl: to.links?.overviewUrl ?? null };
  const result = await attempt(await channelNamed(channel, to), message);
  if (result.kind === 'refused') {
    to.logger.error('a digest could not be sent; it is tried again', { channel, reason: result.reason });
    await waitAsAsked(channel, result, to);
  }
  const about = { channel, route: 'digest', title: `Digest: ${message.title}`, alerts: 0, keys: [] };
  await logDelivery({ ...about, ...outcomeOf(result, to) }, to);
  return result.kind !== 'refused';
}

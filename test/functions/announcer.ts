import { notifyPending } from '../../functions/notify/notify.ts';
import type { NotifyDeps } from '../../functions/notify/sweep.ts';
import {
  inMemoryAlertStore,
  inMemoryDeliveryLog,
  inMemoryRuleStore,
  inMemoryRunStore,
  inMemorySilenceStore,
} from '../../shared/adapters/in-memory/stores.ts';
import type { Alert } from '../../shared/alerting/alerts/alert.ts';
import type { Transition } from '../../shared/alerting/alerts/transitions.ts';
import { isEnd } from '../../shared/alerting/alerts/transitions.ts';
import type { Evaluation } from '../../shared/alerting/evaluation/evaluation.ts';
import type { Channel } from '../../shared/alerting/messages/channel.ts';
import { secretsOf } from '../../shared/alerting/notifications/channels.ts';
import { queueNews } from '../../shared/alerting/notifications/pending-notifications.ts';
import { routesSchema } from '../../shared/alerting/notifications/routes.ts';
import type { Rule } from '../../shared/alerting/rules/rule.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { createFakeChannel, type FakeChannel } from '../fakes/fake-channel.ts';
import { alertOf, breached, HOUR, MONDAY } from '../fixtures/builders.ts';

/** What happens to an alert, as the judge would tell of it. */
export interface Happening {
  transition: Transition;
  segment?: string;
  evaluation?: Evaluation;
}

/**
 * An announcer over fakes, at noon of `MONDAY`; its channels are those of `routes`, each of which keeps what it was sent
 * unless another is given.
 */
export async function anAnnouncer(
  rules: Rule[],
  routes: Record<string, unknown>,
  replaced: Partial<NotifyDeps> & { channels?: Record<string, Channel> } = {},
) {
  const { channels = {}, ...others } = replaced;
  const kept = new Map<string, FakeChannel>();
  const keeping = (name: string) => {
    const channel = kept.get(name) ?? createFakeChannel();
    kept.set(name, channel);
    return channel;
  };
  const clock = new ManualClock(MONDAY + 12 * HOUR);
  const parsed = routesSchema.parse(routes);
  const stores = {
    rules: inMemoryRuleStore(),
    alerts: inMemoryAlertStore(),
    runs: inMemoryRunStore(),
    silences: inMemorySilenceStore(),
    deliveries: inMemoryDeliveryLog(),
  };
  await stores.rules.save({ version: 'now', rules, routes: parsed });
  const logged: string[] = [];
  const log = (message: string) => void logged.push(message);
  const counted: string[] = [];
  const deps: NotifyDeps = {
    ...stores,
    channelFor: async (config) => {
      const [name = ''] = secretsOf(config);
      return channels[name] ?? keeping(name);
    },
    clock,
    logger: { info: log, warn: log, error: log },
    meter: { count: (what) => void counted.push(what) },
    ...others,
  };

  return {
    ...stores,
    clock,
    logged,
    counted,
    deps,
    channel: keeping,
    alertOf: async (rule: Rule, segment: string | null = null): Promise<Alert | undefined> =>
      (await stores.alerts.load([{ ruleId: rule.id, segment }]))[0],

    /** The judge finds this now. */
    async happens(rule: Rule, { transition, segment, evaluation = breached(0) }: Happening): Promise<void> {
      const scheduledAt = clock.now();
      const tick = { id: `tick-${scheduledAt}`, scheduledAt };
      await stores.runs.saveTick({ ...tick, batches: [] });
      const key = { ruleId: rule.id, segment: segment ?? null };
      const [stored] = await stores.alerts.load([key]);
      const before = stored ?? { ...alertOf(rule), ...key };
      const about = { windowEndAt: scheduledAt, evaluation, tick };
      const firedWindowEndAt = before.fired?.windowEndAt ?? null;
      const step = {
        alert: moved(before, transition, scheduledAt),
        news: [{ transition, reason: { code: 'evaluation' as const } }],
      };
      await stores.alerts.save(queueNews(step, rule, parsed, { ...about, firedWindowEndAt }));
    },

    /** A sweep now, or after some time. */
    async sweep(hoursLater = 0) {
      clock.advanceTo(clock.now() + hoursLater * HOUR);
      return notifyPending(deps);
    },

    /** "fired sales, recovered sales [Malta]", a text for each message that the channel was sent. */
    notified: (name: string) =>
      keeping(name).sent.map(({ items }) =>
        items
          .map(
            ({ transition, ruleId, segment }) =>
              `${transition} ${ruleId}${segment === null ? '' : ` [${segment}]`}`,
          )
          .join(', '),
      ),
  };
}

function moved(alert: Alert, transition: Transition, at: number): Alert {
  if (transition === 'acknowledged') return { ...alert, acknowledged: { by: 'anna', at, reason: '' } };
  if (isEnd(transition))
    return { ...alert, state: 'normal', stateSinceAt: at, fired: null, acknowledged: null, snoozed: null };
  if (transition !== 'fired') return alert;
  const { baselineWindow, baseline, origin } = breached(0);
  const fired = {
    windowEndAt: at,
    firstEndAt: at,
    baselineWindow,
    baseline,
    origin,
    direction: 'down' as const,
    gap: null,
  };
  return { ...alert, state: 'firing', stateSinceAt: at, fired };
}

/** The configuration of a channel whose name is that of its secret. */
export const channelsNamed = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { slack: { webhook_secret: name } }]));

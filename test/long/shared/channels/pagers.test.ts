import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { freshAlert } from '../../../../functions/check-rules/evaluate-rule.ts';
import type { Alert } from '../../../../shared/alerts/alert.ts';
import type { ChannelConfig } from '../../../../shared/channels/kinds.ts';
import type { Channel } from '../../../../shared/messages/channel.ts';
import { itemKeyOf, messageFor } from '../../../../shared/messages/message.ts';
import { settle } from '../../../../shared/notifications/delivery.ts';
import { incidentNews } from '../../../../shared/notifications/incident.ts';
import { dueNotifications } from '../../../../shared/notifications/notification-order.ts';
import { queueNews } from '../../../../shared/notifications/pending-notifications.ts';
import { History } from '../../../../shared/readings/history.ts';
import { systemClock } from '../../../../shared/runtime/clock.ts';
import { contentHash } from '../../../../shared/text/content-hash.ts';
import { CalendarWindows } from '../../../../shared/time/calendar-windows.ts';
import { DAY_MS, HOUR_MS } from '../../../../shared/units/durations.ts';
import { JiraSite } from '../../../contracts/jira-site.ts';
import {
  ALERT_SOURCE,
  alertEventSchema,
  JIRA,
  JIRA_TOKEN,
  opsgenieAlertSchema,
} from '../../../contracts/pager-receivers.ts';
import { ROUTING_KEY } from '../../../contracts/receivers.ts';
import { event, happen, rules, segments } from '../../../fixtures/alert-histories.ts';
import { alertOf, dayAt, MONDAY, ROUTES } from '../../../fixtures/builders.ts';
import { channelTo } from '../../../fixtures/channel-to.ts';

const hashed = (key: string) => `deltawatch-${contentHash(['production', key])}`;

/** What is open in a pager, by the id that it has for the key of an incident. */
interface Pager {
  channel: Channel;
  open: () => string[];
  idOf: (key: string) => string;
}

/** A pager over HTTP. `read` says which incident a request opens or ends. */
function posted(
  config: ChannelConfig,
  secret: string,
  read: (body: string, path: string) => { id: string; ends: boolean } | undefined,
  idOf = (key: string) => key,
): Pager {
  const open = new Set<string>();
  const to: typeof fetch = async (url, init) => {
    const event = read(String(init?.body), String(url));
    if (event?.ends) open.delete(event.id);
    else if (event) open.add(event.id);
    return new Response(null, { status: 202 });
  };
  return { open: () => [...open], idOf, channel: channelTo(config, { secret, clock: systemClock, to }) };
}

const eventSchema = z.object({ event_action: z.string(), dedup_key: z.string() });

const PAGERS: Record<string, () => Pager> = {
  PagerDuty: () =>
    posted({ pagerduty: { routing_key_secret: 'key' } }, ROUTING_KEY, (body) => {
      const { event_action: action, dedup_key: id } = eventSchema.parse(JSON.parse(body));
      return action === 'acknowledge' ? undefined : { id, ends: action === 'resolve' };
    }),
  'incident.io': () =>
    posted({ incidentio: { webhook_secret: 'url' } }, ALERT_SOURCE, (body) => {
      const { status, deduplication_key: id } = alertEventSchema.parse(JSON.parse(body));
      return { id, ends: status === 'resolved' };
    }),
  Opsgenie: () =>
    posted(
      { opsgenie: { api_key_secret: 'key', site: 'eu' } },
      'xoxkey',
      (body, path) => {
        const [, id, verb] = /alerts\/([\w-]+)\/(\w+)/.exec(path) ?? [];
        if (verb === 'acknowledge') return undefined;
        return { id: id ?? opsgenieAlertSchema.parse(JSON.parse(body)).alias, ends: verb === 'close' };
      },
      hashed,
    ),
  Jira: () => {
    const site = new JiraSite(JIRA_TOKEN);
    const to: typeof fetch = async (url, init) => {
      const { pathname, search } = new URL(String(url));
      const { answer } = site.answer(
        {
          ...{ url: pathname + search, method: init?.method ?? 'GET' },
          headers: { authorization: new Headers(init?.headers).get('authorization') ?? '' },
        },
        String(init?.body ?? ''),
      );
      return new Response(answer.body ?? null, { status: answer.status });
    };
    return {
      idOf: hashed,
      open: () =>
        site.issues.filter(({ status }) => status !== 'Done').flatMap(({ labels }) => labels.slice(-1)),
      channel: channelTo({ jira: JIRA }, { secret: JIRA_TOKEN, clock: systemClock, to }),
    };
  },
};

/** The events of a tick, and whether the channel is reachable after it. */
const ticks = fc.array(
  fc.record({
    events: fc.array(
      fc.oneof(
        { weight: 8, arbitrary: event },
        { weight: 1, arbitrary: fc.constant({ what: 'changed' as const }) },
      ),
      { minLength: 1, maxLength: 3 },
    ),
    isSent: fc.boolean(),
  }),
  { maxLength: 25 },
);

it.each(Object.keys(PAGERS))(
  'an incident is open in %s once, exactly while its alert fires, for any history',
  async (name) => {
    await fc.assert(
      fc.asyncProperty(ticks, rules, segments, async (lived, first, segment) => {
        const { open, idOf, channel } = PAGERS[name]?.() ?? expect.fail();
        let rule = first;
        let alert: Alert = { ...alertOf(rule, { evaluatedThroughAt: dayAt(0).endAt }), segment };
        const send = async () => {
          const now = Number.MAX_SAFE_INTEGER;
          for (let due = dueNotifications(alert, now); due.length > 0; due = dueNotifications(alert, now)) {
            const pending = due.map(([key, notification]) => ({ key, alert, notification, rule }));
            const { receipts } = await channel.send(messageFor(pending));
            for (const each of pending)
              alert = settle(alert, each.key, alert.evaluatedThroughAt, {
                receipt: receipts?.get(itemKeyOf(each)),
              });
          }
        };
        for (const { events, isSent } of lived) {
          const tick = {
            id: `tick-${alert.evaluatedThroughAt}`,
            scheduledAt: alert.evaluatedThroughAt + DAY_MS + HOUR_MS,
          };
          for (const of of events) {
            if (of.what === 'changed') {
              rule = {
                ...rule,
                fire_after: rule.fire_after,
                minimum: { ...rule.minimum, current: rule.minimum.current + 1 },
              };
              alert = freshAlert(alert, alert, {
                ...{
                  rule,
                  routes: ROUTES,
                  windows: [],
                  again: [],
                  dueFromAt: alert.evaluatedThroughAt,
                  tick,
                },
                ...{
                  history: new History([]),
                  calendarWindows: new CalendarWindows({ grain: 'day', zone: 'UTC' }),
                },
              });
              continue;
            }
            const day = (alert.evaluatedThroughAt - MONDAY) / DAY_MS;
            const step = happen(alert, of, day, rule);
            const about = {
              windowEndAt: step.alert.evaluatedThroughAt,
              evaluation: step.alert.last,
              firedWindowEndAt: null,
            };
            alert = queueNews(step, rule, ROUTES, { ...about, tick });
            alert = { ...alert, revision: alert.revision + 1 };
          }
          if (isSent) await send();
        }
        await send();
        const { key = '' } = incidentNews({ ...alert, transition: 'fired' }) ?? {};
        const firing = open().filter((id) => id === idOf(key));
        // A flapping alert notifies only after it has settled.
        if (alert.flappingSinceAt === null) expect(firing).toHaveLength(alert.fired === null ? 0 : 1);
      }),
      { numRuns: 500 },
    );
  },
);

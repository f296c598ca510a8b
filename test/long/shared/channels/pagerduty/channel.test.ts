import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { freshAlert } from '../../../../../functions/check-rules/evaluate-rule.ts';
import type { Alert } from '../../../../../shared/alerts/alert.ts';
import { messageFor } from '../../../../../shared/messages/message.ts';
import { settle } from '../../../../../shared/notifications/delivery.ts';
import { dueNotifications } from '../../../../../shared/notifications/notification-order.ts';
import { queueNews } from '../../../../../shared/notifications/pending-notifications.ts';
import { History } from '../../../../../shared/readings/history.ts';
import { systemClock } from '../../../../../shared/runtime/clock.ts';
import { CalendarWindows } from '../../../../../shared/time/calendar-windows.ts';
import { DAY_MS, HOUR_MS } from '../../../../../shared/units/durations.ts';
import { ROUTING_KEY } from '../../../../contracts/receivers.ts';
import { event, happen, rules, segments } from '../../../../fixtures/alert-histories.ts';
import { alertOf, dayAt, MONDAY, ROUTES } from '../../../../fixtures/builders.ts';
import { channelTo } from '../../../../fixtures/channel-to.ts';

const pagedSchema = z.object({
  event_action: z.enum(['trigger', 'acknowledge', 'resolve']),
  dedup_key: z.string(),
});

/** A PagerDuty channel that records which incidents are open. */
function pagerDuty() {
  const open = new Set<string>();
  const to: typeof fetch = async (_url, init) => {
    const { event_action, dedup_key } = pagedSchema.parse(JSON.parse(String(init?.body)));
    if (event_action === 'trigger') open.add(dedup_key);
    if (event_action === 'resolve') open.delete(dedup_key);
    return new Response(null, { status: 202 });
  };
  const config = { pagerduty: { routing_key_secret: 'key' } };
  const channel = channelTo(config, { secret: ROUTING_KEY, clock: systemClock, to });
  return { open, channel };
}

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

it('an incident is open in PagerDuty exactly while its alert fires, for any history', async () => {
  await fc.assert(
    fc.asyncProperty(ticks, rules, segments, async (lived, first, segment) => {
      const { open, channel } = pagerDuty();
      let rule = first;
      let alert: Alert = { ...alertOf(rule, { evaluatedThroughAt: dayAt(0).endAt }), segment };
      const send = async () => {
        const now = Number.MAX_SAFE_INTEGER;
        for (let due = dueNotifications(alert, now); due.length > 0; due = dueNotifications(alert, now)) {
          const pending = due.map(([key, notification]) => ({ key, alert, notification, rule }));
          await channel.send(messageFor(pending));
          for (const { key } of pending) alert = settle(alert, key, alert.evaluatedThroughAt);
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
              ...{ rule, routes: ROUTES, windows: [], again: [], dueFromAt: alert.evaluatedThroughAt, tick },
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
      const firing = [...open].filter((key) => !/#(data|health)$/.test(key));
      // A flapping alert notifies only after it has settled.
      if (alert.flappingSinceAt === null) expect(firing.length > 0).toBe(alert.fired !== null);
    }),
    { numRuns: 500 },
  );
});

import { describe, expect, it } from 'vitest';
import type { Alert } from '../../../shared/alerts/alert.ts';
import { messageFor } from '../../../shared/messages/message.ts';
import { settle, take } from '../../../shared/notifications/delivery.ts';
import { dueNotifications } from '../../../shared/notifications/notification-order.ts';
import { type Occasion, queueNotification } from '../../../shared/notifications/pending-notifications.ts';
import { postpone } from '../../../shared/notifications/retries.ts';
import { routesSchema } from '../../../shared/notifications/routes.ts';
import { alertOf, dayAt, MONDAY, ROUTES, ruleNamed, value } from '../../fixtures/builders.ts';

const rule = ruleNamed('sales');
const occasion = (transition: Occasion['transition'], day = 1): Occasion => ({
  transition,
  reason: { code: 'evaluation' },
  windowEndAt: dayAt(day).endAt,
  evaluation: null,
  firedWindowEndAt: transition === 'recovered' ? dayAt(1).endAt : null,
  tick: { id: 'tick', scheduledAt: dayAt(day).endAt },
});
const pendingIn = (alert: Alert) =>
  Object.values(alert.pending).map(({ transition, channel }) => `${transition} to ${channel}`);
const FIRED: NonNullable<Alert['fired']> = {
  ...{ windowEndAt: dayAt(1).endAt, firstEndAt: dayAt(1).endAt, direction: 'down', gap: null },
  baseline: { ...value(100), window: dayAt(0), origin: { of: 'window' } },
};
const fired = queueNotification(alertOf(rule), rule, ROUTES, occasion('fired'));
const [key = ''] = Object.keys(fired.pending);
const refused = (alert: Alert) => postpone(take(alert, [key], MONDAY), key, MONDAY);

describe('an alert', () => {
  it('queues a message for every channel of its route, due at once', () => {
    const routes = routesSchema.parse({
      ...ROUTES,
      channels: { team: ROUTES.channels.team, boss: ROUTES.channels.team },
      default: ['team', 'boss'],
    });
    const alert = queueNotification(alertOf(rule), rule, routes, occasion('fired'));
    expect(pendingIn(alert)).toEqual(['fired to team', 'fired to boss']);
    expect(alert.pendingAt).toBe(dayAt(1).endAt);
  });

  it('queues the same notification once', () => {
    expect(queueNotification(fired, rule, ROUTES, occasion('fired'))).toEqual(fired);
  });

  it.each(['fired', 'retracted'] as const)(
    'gives a second "%s" for the same window its own key',
    (transition) => {
      const keyOf = (revision: number) =>
        Object.keys(
          queueNotification(alertOf(rule, { revision }), rule, ROUTES, occasion(transition)).pending,
        );
      expect(keyOf(1)).toEqual(keyOf(1));
      expect(keyOf(1)).not.toEqual(keyOf(3));
    },
  );

  it('gives the reminders of two fires for one window different keys', () => {
    const remindersOf = (revision: number) => {
      const firing = { fired: FIRED, state: 'firing' as const, revision };
      const alert = queueNotification(alertOf(rule, firing), rule, ROUTES, occasion('fired'));
      const [sent = ''] = Object.keys(alert.pending);
      return Object.keys(settle(alert, sent, MONDAY, { repeat: { after: '4 hours' } }).pending);
    };
    expect(remindersOf(1)).toHaveLength(1);
    expect(remindersOf(1)).not.toEqual(remindersOf(3));
  });

  it('sends a fire found late after the acceptance of the fire before', () => {
    const settled = settle(fired, key, MONDAY);
    const accepted = queueNotification(settled, rule, ROUTES, {
      ...occasion('accepted', 3),
      firedWindowEndAt: dayAt(1).endAt,
    });
    const again = queueNotification(accepted, rule, ROUTES, occasion('fired', 2));
    const pending = Object.entries(again.pending).map(([each, notification]) => ({
      key: each,
      alert: again,
      notification,
      rule,
    }));
    const { items } = messageFor(pending);
    expect(items.map(({ transition }) => transition)).toEqual(['accepted', 'fired']);
    const [end = ''] = Object.keys(accepted.pending);
    expect(dueNotifications(postpone(again, end, dayAt(9).endAt), dayAt(5).endAt)).toEqual([]);
  });

  it('replaces a pending "flapping" by "persists", and a pending snooze by a later one', () => {
    const flapping = queueNotification(alertOf(rule), rule, ROUTES, occasion('flapping'));
    expect(pendingIn(queueNotification(flapping, rule, ROUTES, occasion('persists', 3)))).toEqual([
      'persists to team',
    ]);
    const snoozed = queueNotification(settle(fired, key, MONDAY), rule, ROUTES, occasion('snoozed'));
    expect(pendingIn(queueNotification(snoozed, rule, ROUTES, occasion('snoozed', 3)))).toEqual([
      'snoozed to team',
    ]);
  });

  it('queues the recovery after a failed attempt, which may have arrived', () => {
    const alert = queueNotification(refused(fired), rule, ROUTES, occasion('recovered', 3));
    expect(pendingIn(alert)).toEqual(['fired to team', 'recovered to team']);
  });

  it.each([
    ['fired', 'retracted'],
    ['no-data', 'data-back'],
    ['stopped', 'resumed'],
  ] as const)('drops a pending "%s" on "%s", unless it is being sent', (began, over) => {
    const open = queueNotification(alertOf(rule), rule, ROUTES, occasion(began));
    const about = { ...occasion(over, 2), firedWindowEndAt: dayAt(1).endAt };
    expect(queueNotification(open, rule, ROUTES, about)).toMatchObject({ pending: {}, pendingAt: null });
    const taken = take(open, Object.keys(open.pending), dayAt(4).endAt);
    expect(pendingIn(queueNotification(taken, rule, ROUTES, about))).toHaveLength(2);
  });

  it.each([
    ['fired', 'accepted'],
    ['fired', 'excused'],
    ['fired', 'restarted'],
    ['persists', 'recovered'],
    ['flapping', 'calmed'],
    ['failing', 'healed'],
    ['stalled', 'healed'],
  ] as const)('drops a pending "%s" on "%s"', (began, over) => {
    const open = queueNotification(alertOf(rule), rule, ROUTES, occasion(began));
    const about = { ...occasion(over, 2), firedWindowEndAt: dayAt(1).endAt };
    expect(queueNotification(open, rule, ROUTES, about).pending).toEqual({});
  });

  it('queues the end of a sent fire, even if "flapping" was never sent', () => {
    const settled = settle(fired, key, MONDAY);
    const lasting = queueNotification(settled, rule, ROUTES, occasion('flapping', 2));
    expect(pendingIn(queueNotification(lasting, rule, ROUTES, occasion('calmed', 3)))).toEqual([
      'calmed to team',
    ]);
  });

  it('queues the recovery for every channel of the fire, even after other notifications', () => {
    const routes = routesSchema.parse({
      ...ROUTES,
      channels: Object.fromEntries(
        ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => [name, ROUTES.channels.team]),
      ),
      default: ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
    });
    const sent = (alert: Alert) =>
      Object.keys(alert.pending).reduce((each, one) => settle(each, one, MONDAY), alert);
    const settled = sent(queueNotification(alertOf(rule), rule, routes, occasion('fired')));
    const busy = ['failing', 'broken', 'healed'] as const;
    const later = busy.reduce(
      (alert, news, i) => sent(queueNotification(alert, rule, routes, occasion(news, i + 2))),
      settled,
    );
    const over = queueNotification(later, { ...rule, quiet: true }, routes, { ...occasion('recovered', 9) });
    expect(pendingIn(over)).toHaveLength(7);
    expect(sent(over).sent).toHaveLength(5);
  });

  it('replaces an untried fire by "flapping" and keeps a tried one', () => {
    expect(pendingIn(queueNotification(fired, rule, ROUTES, occasion('flapping', 3)))).toEqual([
      'flapping to team',
    ]);
    const tried = refused(fired);
    expect(pendingIn(queueNotification(tried, rule, ROUTES, occasion('flapping', 3)))).toEqual([
      ...['fired to team', 'flapping to team'],
    ]);
  });

  it('records a sent notification and removes it from the queue', () => {
    const alert = settle(fired, key, 42);
    expect(alert).toMatchObject({ pending: {}, pendingAt: null });
    expect(alert.sent).toEqual([
      { transition: 'fired', channel: 'team', windowEndAt: dayAt(1).endAt, sentAt: 42 },
    ]);
    expect(settle(alert, key, 43)).toBe(alert);
  });
});

describe('a message that could not be sent', () => {
  it('delays the answer to it, which is sent after it', () => {
    const [tried] = [postpone(take(fired, [key], MONDAY), key, MONDAY + 60_000)];
    const notification = tried.pending[key];
    if (!notification) throw new Error('the fire is not pending');
    const answer = {
      ...notification,
      transition: 'acknowledged' as const,
      since: notification.since + 1,
      dueAt: MONDAY,
    };
    const answered = { ...tried, pending: { ...tried.pending, answer } };
    expect(dueNotifications(answered, MONDAY)).toEqual([]);
    expect(dueNotifications(answered, MONDAY + 60_000).map(([due]) => due)).toEqual([key, 'answer']);
  });

  it('does not delay messages to another channel', () => {
    const routes = routesSchema.parse({
      ...ROUTES,
      channels: { team: ROUTES.channels.team, boss: ROUTES.channels.team },
      default: ['team', 'boss'],
    });
    const alert = queueNotification(alertOf(rule), rule, routes, occasion('fired'));
    const [first = ''] = Object.keys(alert.pending);
    expect(postpone(alert, first, dayAt(2).endAt).pendingAt).toBe(dayAt(1).endAt);
  });
});

it('the end of an alert also goes to a channel that was renamed since', () => {
  const routesWith = (...names: string[]) =>
    routesSchema.parse({
      channels: Object.fromEntries(names.map((name) => [name, ROUTES.channels.team])),
      default: names,
    });
  const before = queueNotification(alertOf(rule), rule, routesWith('chat', 'pager'), occasion('fired'));
  const sent = Object.keys(before.pending).reduce<Alert>(
    (alert, each) => settle(take(alert, [each], MONDAY), each, MONDAY),
    { ...before, fired: FIRED },
  );
  const after = queueNotification(sent, rule, routesWith('chat', 'on-call'), occasion('recovered', 2));
  expect(pendingIn(after)).toEqual(['recovered to chat', 'recovered to on-call']);
});

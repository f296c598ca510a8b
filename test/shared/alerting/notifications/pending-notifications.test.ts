import { describe, expect, it } from 'vitest';
import type { Alert } from '../../../../shared/alerting/alerts/alert.ts';
import { messageFor } from '../../../../shared/alerting/messages/message.ts';
import { dueDebts } from '../../../../shared/alerting/notifications/notification-order.ts';
import {
  type Occasion,
  owe,
  postpone,
  settle,
  take,
  tell,
  waitAfter,
} from '../../../../shared/alerting/notifications/pending-notifications.ts';
import { routesSchema } from '../../../../shared/alerting/notifications/routes.ts';
import { alertOf, dayAt, MONDAY, ROUTES, ruleNamed, value } from '../../../fixtures/builders.ts';

const rule = ruleNamed('sales');
const occasion = (transition: Occasion['transition'], day = 1): Occasion => ({
  transition,
  reason: { code: 'evaluation' },
  windowEndAt: dayAt(day).endAt,
  evaluation: null,
  firedWindowEndAt: transition === 'recovered' ? dayAt(1).endAt : null,
  tick: { id: 'tick', scheduledAt: dayAt(day).endAt },
});
const owing = (alert: Alert) =>
  Object.values(alert.owed).map(({ transition, channel }) => `${transition} to ${channel}`);
const FIRED: NonNullable<Alert['fired']> = {
  ...{ windowEndAt: dayAt(1).endAt, firstEndAt: dayAt(1).endAt, baselineWindow: dayAt(0) },
  ...{ origin: { of: 'window' }, baseline: value(100), direction: 'down', gap: null },
};
const fired = owe(alertOf(rule), rule, ROUTES, occasion('fired'));
const [key = ''] = Object.keys(fired.owed);
const refused = (alert: Alert) => postpone(take(alert, [key], MONDAY), key, MONDAY);

describe('an alert', () => {
  it('owes every channel of its route a message, due at once', () => {
    const routes = routesSchema.parse({
      ...ROUTES,
      channels: { team: ROUTES.channels.team, boss: ROUTES.channels.team },
      default: ['team', 'boss'],
    });
    const alert = owe(alertOf(rule), rule, routes, occasion('fired'));
    expect(owing(alert)).toEqual(['fired to team', 'fired to boss']);
    expect(alert.owedAt).toBe(dayAt(1).endAt);
  });

  it('owes the same message once, however often it is told', () => {
    expect(owe(fired, rule, ROUTES, occasion('fired'))).toEqual(fired);
  });

  it.each(['fired', 'retracted'] as const)(
    'names what %s again for the same window as other news',
    (transition) => {
      const keyOf = (revision: number) =>
        Object.keys(owe(alertOf(rule, { revision }), rule, ROUTES, occasion(transition)).owed);
      expect(keyOf(1)).toEqual(keyOf(1));
      expect(keyOf(1)).not.toEqual(keyOf(3));
    },
  );

  it('names the reminders of two fires for the same window apart', () => {
    const remindersOf = (revision: number) => {
      const firing = { fired: FIRED, state: 'firing' as const, revision };
      const alert = owe(alertOf(rule, firing), rule, ROUTES, occasion('fired'));
      const [sent = ''] = Object.keys(alert.owed);
      return Object.keys(settle(alert, sent, MONDAY, { after: '4 hours' }).owed);
    };
    expect(remindersOf(1)).toHaveLength(1);
    expect(remindersOf(1)).not.toEqual(remindersOf(3));
  });

  it('tells a fire that a late tick found after the end that somebody gave the fire before meanwhile', () => {
    const told = settle(fired, key, MONDAY);
    const accepted = owe(told, rule, ROUTES, {
      ...occasion('accepted', 3),
      firedWindowEndAt: dayAt(1).endAt,
    });
    const again = owe(accepted, rule, ROUTES, occasion('fired', 2));
    const owed = Object.entries(again.owed).map(([each, debt]) => ({ key: each, alert: again, debt, rule }));
    const { items } = messageFor(owed);
    expect(items.map(({ transition }) => transition)).toEqual(['accepted', 'fired']);
    const [end = ''] = Object.keys(accepted.owed);
    expect(dueDebts(postpone(again, end, dayAt(9).endAt), dayAt(5).endAt)).toEqual([]);
  });

  it('owes nothing when it recovered before anybody was told', () => {
    const alert = owe(fired, rule, ROUTES, occasion('recovered', 3));
    expect(alert).toMatchObject({ owed: {}, owedAt: null });
  });

  it('owes no word that it comes and goes once it is owed that it fires on, and none of a snooze before another', () => {
    const flapping = owe(alertOf(rule), rule, ROUTES, occasion('flapping'));
    expect(owing(owe(flapping, rule, ROUTES, occasion('persists', 3)))).toEqual(['persists to team']);
    const snoozed = owe(settle(fired, key, MONDAY), rule, ROUTES, occasion('snoozed'));
    expect(owing(owe(snoozed, rule, ROUTES, occasion('snoozed', 3)))).toEqual(['snoozed to team']);
  });

  it('owes the recovery too while the fire is being sent', () => {
    const alert = owe(take(fired, [key], dayAt(4).endAt), rule, ROUTES, occasion('recovered', 3));
    expect(owing(alert)).toEqual(['fired to team', 'recovered to team']);
  });

  it('owes the recovery too once the fire was tried: it may have got through', () => {
    const alert = owe(refused(fired), rule, ROUTES, occasion('recovered', 3));
    expect(owing(alert)).toEqual(['fired to team', 'recovered to team']);
  });

  it('strikes the fire that is over, and no older one', () => {
    const older = refused(fired);
    const newer = owe(older, rule, ROUTES, occasion('fired', 2));
    const over = { ...occasion('recovered', 3), firedWindowEndAt: dayAt(2).endAt };
    expect(Object.keys(owe(newer, rule, ROUTES, over).owed)).toEqual([key]);
  });

  it.each([
    ['fired', 'retracted'],
    ['no-data', 'data-back'],
    ['stopped', 'resumed'],
  ] as const)('owes nothing when what %s is %s before anybody was told', (began, over) => {
    const open = owe(alertOf(rule), rule, ROUTES, occasion(began));
    const about = { ...occasion(over, 2), firedWindowEndAt: dayAt(1).endAt };
    expect(owe(open, rule, ROUTES, about)).toMatchObject({ owed: {}, owedAt: null });
    const taken = take(open, Object.keys(open.owed), dayAt(4).endAt);
    expect(owing(owe(taken, rule, ROUTES, about))).toHaveLength(2);
  });

  it.each([
    ['fired', 'accepted'],
    ['fired', 'excused'],
    ['fired', 'restarted'],
    ['persists', 'recovered'],
    ['flapping', 'calmed'],
    ['failing', 'healed'],
    ['stalled', 'healed'],
  ] as const)('owes nothing of what %s and is %s before it could be told', (began, over) => {
    const open = owe(alertOf(rule), rule, ROUTES, occasion(began));
    const about = { ...occasion(over, 2), firedWindowEndAt: dayAt(1).endAt };
    expect(owe(open, rule, ROUTES, about).owed).toEqual({});
  });

  it('owes the end of what was told, though the last word of it was not', () => {
    const told = settle(fired, key, MONDAY);
    const lasting = owe(told, rule, ROUTES, occasion('flapping', 2));
    expect(owing(owe(lasting, rule, ROUTES, occasion('calmed', 3)))).toEqual(['calmed to team']);
  });

  it('remembers what is still to be told to be over, however much was told since', () => {
    const routes = routesSchema.parse({
      ...ROUTES,
      channels: Object.fromEntries(
        ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => [name, ROUTES.channels.team]),
      ),
      default: ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
    });
    const sent = (alert: Alert) =>
      Object.keys(alert.owed).reduce((each, one) => settle(each, one, MONDAY), alert);
    const told = sent(owe(alertOf(rule), rule, routes, occasion('fired')));
    const busy = ['failing', 'broken', 'healed'] as const;
    const later = busy.reduce(
      (alert, news, i) => sent(owe(alert, rule, routes, occasion(news, i + 2))),
      told,
    );
    const over = owe(later, { ...rule, quiet: true }, routes, { ...occasion('recovered', 9) });
    expect(owing(over)).toHaveLength(7);
    expect(sent(over).announced).toHaveLength(5);
  });

  it('that is flapping owes that alone, besides what may have been sent', () => {
    expect(owing(owe(fired, rule, ROUTES, occasion('flapping', 3)))).toEqual(['flapping to team']);
    const tried = refused(fired);
    expect(owing(owe(tried, rule, ROUTES, occasion('flapping', 3)))).toEqual([
      ...['fired to team', 'flapping to team'],
    ]);
  });

  it('owes all that a step has to tell', () => {
    const reason = { code: 'evaluation' } as const;
    const news = (['fired', 'data-back'] as const).map((transition) => ({ transition, reason }));
    const { transition: _, reason: __, ...about } = occasion('fired');
    const alert = tell({ alert: alertOf(rule), news }, rule, ROUTES, about);
    expect(owing(alert)).toEqual(['fired to team', 'data-back to team']);
  });

  it('owes only the latest news of its health', () => {
    const news = (['failing', 'broken', 'healed', 'failing'] as const).reduce(
      (alert, transition, day) => owe(alert, rule, ROUTES, occasion(transition, day)),
      fired,
    );
    expect(owing(news)).toEqual(['fired to team', 'failing to team']);
  });

  it('owes the recovery of what was sent', () => {
    const alert = owe(settle(fired, key, MONDAY), rule, ROUTES, occasion('recovered', 3));
    expect(owing(alert)).toEqual(['recovered to team']);
  });

  it('remembers what was sent and owes it no more', () => {
    const alert = settle(fired, key, 42);
    expect(alert).toMatchObject({ owed: {}, owedAt: null });
    expect(alert.announced).toEqual([
      { transition: 'fired', channel: 'team', windowEndAt: dayAt(1).endAt, sentAt: 42 },
    ]);
    expect(settle(alert, key, 43)).toBe(alert);
  });
});

describe('a message that could not be sent', () => {
  it('stays owed and waits twice as long each time, at most an hour', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 8].map((attempts) => waitAfter(attempts) / 60_000);
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    expect(owing(refused(fired))).toEqual(['fired to team']);
  });

  it('puts off what somebody answered, which is told after what was answered', () => {
    const [tried] = [postpone(take(fired, [key], MONDAY), key, MONDAY + 60_000)];
    const debt = tried.owed[key];
    if (!debt) throw new Error('it owes the fire');
    const answer = { ...debt, transition: 'acknowledged' as const, since: debt.since + 1, dueAt: MONDAY };
    const answered = { ...tried, owed: { ...tried.owed, answer } };
    expect(dueDebts(answered, MONDAY)).toEqual([]);
    expect(dueDebts(answered, MONDAY + 60_000).map(([due]) => due)).toEqual([key, 'answer']);
  });

  it('does not put off a message to another channel', () => {
    const routes = routesSchema.parse({
      ...ROUTES,
      channels: { team: ROUTES.channels.team, boss: ROUTES.channels.team },
      default: ['team', 'boss'],
    });
    const alert = owe(alertOf(rule), rule, routes, occasion('fired'));
    const [first = ''] = Object.keys(alert.owed);
    expect(postpone(alert, first, dayAt(2).endAt).owedAt).toBe(dayAt(1).endAt);
  });
});

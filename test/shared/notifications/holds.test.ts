import { describe, expect, test } from 'vitest';
import type { Alert, Notification } from '../../../shared/alerts/alert.ts';
import { heldText } from '../../../shared/messages/facts.ts';
import { holdsAt } from '../../../shared/notifications/holds.ts';
import type { PendingNotification } from '../../../shared/notifications/pending.ts';
import { routesSchema } from '../../../shared/notifications/routes.ts';
import type { Silence } from '../../../shared/silences/silence.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import { aNotification } from '../../contracts/samples.ts';
import { alertOf, MONDAY, ruleNamed } from '../../fixtures/builders.ts';

const sales = ruleNamed('sales', { zone: 'Europe/Berlin' });
/** Tuesday, 08:00 in Berlin, when its nights end. */
const NOW = MONDAY + DAY_MS + 7 * HOUR_MS;
const DUE = NOW - 10 * HOUR_MS;

const routesWith = (mute: string[]) =>
  routesSchema.parse({
    channels: { team: { slack: { webhook_secret: 'team' } } },
    calendars: {
      nights: { zone: 'Europe/Berlin', weekly: [{ days: ['mon-sun'], from: '18:00', to: '08:00' }] },
    },
    default: { channels: ['team'], mute },
  });
const UNMUTED = routesWith([]);

const aSilence = (fromAt: number, untilAt: number, rule = 'sales'): Silence => ({
  ...{ id: `${fromAt}`, match: { rule }, fromAt, untilAt },
  ...{ by: 'anna', at: 0, reason: 'deployment' },
});

const pending = (
  notification: Partial<Notification> = {},
  alert: Partial<Alert> = {},
): PendingNotification => ({
  ...{ key: 'a', alert: alertOf(sales, alert), rule: sales },
  notification: aNotification({
    transition: 'fired',
    channel: 'team',
    since: DUE,
    dueAt: DUE,
    ...notification,
  }),
});

const snoozedUntil = (untilAt: number | null) => ({ snoozed: { by: 'ben', at: 0, reason: '', untilAt } });

describe('a held message names', () => {
  test.each<[string, Silence[], Partial<Alert>, string | undefined]>([
    [
      'a silence that ends now',
      [aSilence(DUE, NOW)],
      {},
      'until Tue 3 Mar 2026, 08:00 (Europe/Berlin) by a silence of anna',
    ],
    ['no silence that ended before it was due', [aSilence(DUE - 5, DUE - 1)], {}, undefined],
    ['no silence that ended when it was due', [aSilence(DUE - 5, DUE)], {}, undefined],
    ['no active silence', [aSilence(DUE, NOW + 1)], {}, undefined],
    ['no silence of another rule', [aSilence(DUE, NOW, 'visits')], {}, undefined],
    ['no silence that ended as it began', [aSilence(NOW, NOW)], {}, undefined],
    [
      'a snooze that is over',
      [],
      snoozedUntil(NOW - HOUR_MS),
      'until Tue 3 Mar 2026, 07:00 (Europe/Berlin) by a snooze of ben',
    ],
    ['no snooze without an end', [], snoozedUntil(null), undefined],
    [
      'the silence if it ended last',
      [aSilence(DUE, NOW - HOUR_MS)],
      snoozedUntil(NOW - 2 * HOUR_MS),
      'until Tue 3 Mar 2026, 07:00 (Europe/Berlin) by a silence of anna',
    ],
    [
      'the snooze if it ended last',
      [aSilence(DUE, NOW - 2 * HOUR_MS)],
      snoozedUntil(NOW - HOUR_MS),
      'until Tue 3 Mar 2026, 07:00 (Europe/Berlin) by a snooze of ben',
    ],
  ])('%s', (_, silences, alert, text) => {
    const held = holdsAt(NOW, UNMUTED, silences).heldBy(pending({}, alert));
    expect(held && heldText(held)).toBe(text);
  });

  test('the silence of an app alert in the zone of its app', () => {
    const appAlert = { ...pending(), rule: undefined, zone: 'Asia/Tokyo' };
    expect(holdsAt(NOW, UNMUTED, [aSilence(DUE, NOW)]).heldBy(appAlert)).toMatchObject({
      zone: 'Asia/Tokyo',
    });
  });
});

describe('a silence', () => {
  test.each([
    ['that begins now is active', [aSilence(NOW, NOW + 1)], true],
    ['that ends now is no longer active', [aSilence(DUE, NOW)], false],
    [
      'is active beside a silence of another rule',
      [aSilence(DUE, NOW + 1), aSilence(DUE, NOW + 1, 'visits')],
      true,
    ],
  ])('%s', (_, silences, isHeld) => {
    expect(holdsAt(NOW, UNMUTED, silences).isHeld(pending())).toBe(isHeld);
  });
});

import { expect, it } from 'vitest';
import { notifiedAt, notifiedWithin } from '../../../shared/notifications/notified.ts';
import { routesSchema } from '../../../shared/notifications/routes.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { MONDAY, ruleNamed } from '../../fixtures/builders.ts';
import { channelsNamed } from '../../functions/notifier.ts';

const routes = routesSchema.parse({
  channels: channelsNamed('team', 'on-call'),
  calendars: { lunch: { weekly: [{ days: ['mon'], from: '12:00', to: '13:00' }] } },
  routes: [
    { name: 'all', match: {}, channels: ['team'], mute: ['lunch'], continue: true },
    { name: 'own', match: {}, channels: ['team'], escalate: [{ after: '1 hour', channels: ['on-call'] }] },
  ],
  default: ['team'],
});

it.each([
  { hour: 11, receivers: ['team'], muted: [], escalations: ['on-call'] },
  { hour: 12, receivers: [], muted: ['team'], escalations: [] },
])('at $hour:00, $receivers are notified and $muted are muted', ({ hour, ...expected }) => {
  const notified = notifiedAt(ruleNamed('sales'), routes, MONDAY + hour * HOUR_MS);
  const names = Object.entries(notified).map(([kind, own]) => [
    kind,
    own.map(({ channel }: { channel: string }) => channel),
  ]);
  expect(Object.fromEntries(names)).toEqual(expected);
});

it('changes who is notified only where a calendar starts or ends', () => {
  const range = { startAt: MONDAY + 11 * HOUR_MS, endAt: MONDAY + 14 * HOUR_MS };
  const spans = notifiedWithin(ruleNamed('sales'), routes, range);
  const hour = (at: number) => (at - MONDAY) / HOUR_MS;
  expect(spans.map(({ startAt, endAt, muted }) => [hour(startAt), hour(endAt), muted.length])).toEqual([
    [11, 12, 0],
    [12, 13, 1],
    [13, 14, 0],
  ]);
});

import { describe, expect, test } from 'vitest';
import { duePeriod, lastPeriod } from '../../../shared/notifications/digest-schedule.ts';
import { routesSchema } from '../../../shared/notifications/routes.ts';

const at = (text: string) => Date.parse(text);
const weekly = { every: 'monday at 09:00', zone: 'Europe/Berlin', channels: ['team'] };

describe('the last period', () => {
  test.each([
    ['monday at 09:00', '2026-03-30T07:00Z', '2026-03-23T08:00Z', '2026-03-30T07:00Z'],
    ['monday at 09:00', '2026-03-30T06:59Z', '2026-03-16T08:00Z', '2026-03-23T08:00Z'],
    ['day at 09:00', '2026-03-03T12:00Z', '2026-03-02T08:00Z', '2026-03-03T08:00Z'],
    ['month at 09:00', '2026-03-31T12:00Z', '2026-02-01T08:00Z', '2026-03-01T08:00Z'],
  ])('of %s at %s', (every, now, startAt, endAt) => {
    expect(lastPeriod({ ...weekly, every }, at(now))).toEqual({ startAt: at(startAt), endAt: at(endAt) });
  });
});

test('a digest is due from its scheduled time for a day, unless the rules are newer', () => {
  const scheduled = at('2026-03-30T07:00Z');
  const isDue = (now: number, deployedAt = 0) => duePeriod(weekly, now, deployedAt) !== undefined;
  const DAY = 86_400_000;
  expect([scheduled - 1, scheduled, scheduled + DAY - 1, scheduled + DAY].map((now) => isDue(now))).toEqual([
    ...[false, true, true, false],
  ]);
  expect([scheduled, scheduled + 1].map((deployedAt) => isDue(scheduled + 1, deployedAt))).toEqual([
    true,
    false,
  ]);
});

describe('the key digest in routes.yaml', () => {
  const faultsOf = (digest: object) =>
    routesSchema
      .safeParse({
        channels: {
          team: { slack: { webhook_secret: 'slack' } },
          pager: { pagerduty: { routing_key_secret: 'key' } },
        },
        default: ['team'],
        digest,
      })
      .error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];

  test('a weekly digest is accepted', () => {
    expect(faultsOf(weekly)).toEqual([]);
  });

  test.each([
    [{ channels: ['gone'] }, 'digest.channels.0: there is no channel "gone"; defined: team, pager'],
    [
      { channels: ['team', 'pager'] },
      'digest.channels.1: the channel "pager" is a pager, which gets no digest; remove it here',
    ],
    [{ channels: ['team', 'team'] }, 'digest.channels.1: the channel is listed twice'],
    [
      { every: 'hour' },
      'digest.every: a digest is sent once a day at most; write a cadence such as "monday at 09:00" or "day at 09:00"',
    ],
    [
      { every: 'cron 0 9 1 1 *' },
      'digest.every: a digest is sent once a month at least; write a cadence such as "month at 09:00"',
    ],
    [{ every: 'weekly' }, expect.stringContaining('"weekly" is not a cadence; accepted: ')],
    [{ zone: 'Berlin' }, expect.stringContaining('digest.zone: ')],
  ])('%j is refused', (wrong, fault) => {
    expect(faultsOf({ ...weekly, ...wrong })).toEqual([fault]);
  });
});

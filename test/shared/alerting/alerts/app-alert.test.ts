import { describe, expect, it } from 'vitest';
import {
  advanceApp,
  appAddressee,
  appOf,
  newAppAlert,
  overdueBefore,
} from '../../../../shared/alerting/alerts/app-alert.ts';
import { routeFor, routesSchema } from '../../../../shared/alerting/notifications/routes.ts';
import { HOUR, MONDAY, ROUTES, ruleNamed } from '../../../fixtures/builders.ts';

const NOON = MONDAY + 12 * HOUR;

/** A tick at `hour` that saw data up to `newest`, both in hours since Monday; data are overdue after six. */
const look = (hour: number, newest: number) => ({
  scheduledAt: MONDAY + hour * HOUR,
  newestDataAt: MONDAY + newest * HOUR,
  overdueBeforeAt: MONDAY + (hour - 6) * HOUR,
});

function notified(looks: ReturnType<typeof look>[]) {
  let alert = newAppAlert('demo');
  return looks.flatMap((seen) => {
    const step = advanceApp(alert, seen);
    alert = step.alert;
    return step.news.map(({ transition }) => `${transition}@${(seen.scheduledAt - MONDAY) / HOUR}`);
  });
}

describe('the alert of an app', () => {
  it.each<[string, ReturnType<typeof look>[], string[]]>([
    ['says nothing while data come', [look(12, 11.9), look(13, 12.9)], []],
    ['says nothing of data that are merely late', [look(12, 11), look(17, 11)], []],
    ['tells once that data are overdue', [look(12, 11), look(18, 11), look(19, 11)], ['stopped@18']],
    [
      'tells once that they come again',
      [look(18, 11), look(19, 18.5), look(20, 19.5)],
      ['stopped@18', 'resumed@19'],
    ],
    ['is not told twice by the pieces of one tick', [look(18, 11), look(18, 11)], ['stopped@18']],
    [
      'is not moved by a tick that comes after a later one',
      [look(18, 11), look(20, 19.5), look(19, 11)],
      ['stopped@18', 'resumed@20'],
    ],
    ['is quiet about an app that has not sent anything yet', [look(12, -Infinity), look(18, -Infinity)], []],
  ])('%s', (_name, looks, expected) => {
    expect(notified(looks)).toEqual(expected);
  });

  it('says since when, as far as that is known', () => {
    const { news } = advanceApp(newAppAlert('demo'), look(18, 11));
    expect(news[0]?.reason).toMatchObject({
      code: 'app-stopped',
      app: 'demo',
      newestDataAt: Date.UTC(2026, 2, 2, 11),
    });
  });

  it('is as patient as the least patient of its rules', () => {
    const rules = [
      ruleNamed('a', { settle: '2 hours', grace: '1 hour' }),
      ruleNamed('b', { settle: '10 minutes', grace: '6 hours' }),
    ];
    expect(overdueBefore(rules, NOON)).toBe(NOON - 3 * HOUR);
  });

  it('goes where what is critical of the app goes, and to the owner if there is but one', () => {
    const channels = { team: ROUTES.channels.team, boss: ROUTES.channels.team };
    const match = { app: 'demo', owner: 'shop', severity: 'critical' };
    const given = { channels, default: ['team'], routes: [{ name: 'grave', match, channels: ['boss'] }] };
    const routes = routesSchema.parse(given);
    const [a, b] = [ruleNamed('a'), ruleNamed('b', { owner: 'growth' })];
    expect(routeFor(appAddressee('demo', [a, a]), routes).channels).toEqual(['boss']);
    expect(routeFor(appAddressee('demo', [a, b]), routes).channels).toEqual(['team']);
  });

  it('has the key of no rule', () => {
    expect(appOf(newAppAlert('demo'))).toBe('demo');
    expect(appOf({ ruleId: 'demo' })).toBeUndefined();
    expect(() => ruleNamed('app:demo')).toThrow('lower-case letters');
  });
});

import { describe, expect, it } from 'vitest';
import {
  advanceApp,
  appAddressee,
  appOf,
  newAppAlert,
  overdueBefore,
  watchedApps,
} from '../../../shared/alerts/app-alert.ts';
import { receiversOf, routesFor, routesSchema } from '../../../shared/notifications/routes.ts';
import type { Rule } from '../../../shared/rules/rule.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { MONDAY, ROUTES, ruleNamed } from '../../fixtures/builders.ts';

const NOON = MONDAY + 12 * HOUR_MS;

/** A run at `hour` with data up to `newest`, both in hours since Monday. Data is overdue after six hours. */
const run = (hour: number, newest: number) => ({
  scheduledAt: MONDAY + hour * HOUR_MS,
  newestDataAt: MONDAY + newest * HOUR_MS,
  overdueBeforeAt: MONDAY + (hour - 6) * HOUR_MS,
});

function notified(runs: ReturnType<typeof run>[]) {
  let alert = newAppAlert('demo');
  return runs.flatMap((seen) => {
    const step = advanceApp(alert, seen);
    alert = step.alert;
    return step.news.map(({ transition }) => `${transition}@${(seen.scheduledAt - MONDAY) / HOUR_MS}`);
  });
}

describe('the alert of an app', () => {
  it.each<[string, ReturnType<typeof run>[], string[]]>([
    ['sends nothing while data arrives', [run(12, 11.9), run(13, 12.9)], []],
    ['sends nothing while data is late but not overdue', [run(12, 11), run(17, 11)], []],
    ['notifies once when data is overdue', [run(12, 11), run(18, 11), run(19, 11)], ['stopped@18']],
    [
      'notifies once when data resumes',
      [run(18, 11), run(19, 18.5), run(20, 19.5)],
      ['stopped@18', 'resumed@19'],
    ],
    ['notifies once for two batches of one run', [run(18, 11), run(18, 11)], ['stopped@18']],
    [
      'ignores a run that arrives after a later one',
      [run(18, 11), run(20, 19.5), run(19, 11)],
      ['stopped@18', 'resumed@20'],
    ],
    ['sends nothing about an app that never sent data', [run(12, -Infinity), run(18, -Infinity)], []],
  ])('%s', (_name, runs, expected) => {
    expect(notified(runs)).toEqual(expected);
  });

  it('waits a quarter longer than the app is usually silent, and says how long that is', () => {
    const alert = {
      ...newAppAlert('demo'),
      usualSilence: { newestDataAt: run(18, 11).newestDataAt, ms: 20 * HOUR_MS },
    };
    expect(advanceApp(alert, run(35, 11)).news).toEqual([]);
    const { news } = advanceApp(alert, run(37, 11));
    expect(news[0]?.reason).toMatchObject({ code: 'app-stopped', usualMs: 20 * HOUR_MS });
  });

  it('keeps the time without data as an incident, up to the last run that found none', () => {
    const runs = [run(18, 11), run(19, 11), run(30, 11), run(31, 30.5)];
    const alert = runs.reduce((last, seen) => advanceApp(last, seen).alert, newAppAlert('demo'));
    expect(alert.incidents).toEqual([{ startAt: MONDAY + 11 * HOUR_MS, endAt: MONDAY + 30 * HOUR_MS }]);
  });

  it('names the time of the newest data', () => {
    const { news } = advanceApp(newAppAlert('demo'), run(18, 11));
    expect(news[0]?.reason).toMatchObject({
      code: 'app-stopped',
      app: 'demo',
      newestDataAt: Date.UTC(2026, 2, 2, 11),
    });
  });

  it('is overdue after the shortest wait of its rules', () => {
    const rules = [
      ruleNamed('a', { settle: '2 hours', grace: '1 hour' }),
      ruleNamed('b', { settle: '10 minutes', grace: '6 hours' }),
    ];
    expect(watchedApps(rules).map((app) => overdueBefore(app, NOON))).toEqual([NOON - 3 * HOUR_MS]);
  });

  it('is routed as critical, with the owner if all rules share one', () => {
    const channels = { team: ROUTES.channels.team, boss: ROUTES.channels.team };
    const match = { app: 'demo', owner: 'shop', severity: 'critical' };
    const given = { channels, default: ['team'], routes: [{ name: 'grave', match, channels: ['boss'] }] };
    const routes = routesSchema.parse(given);
    const [a, b] = [ruleNamed('a'), ruleNamed('b', { owner: 'growth' })];
    const receivers = (...rules: Rule[]) =>
      watchedApps(rules).flatMap((app) => receiversOf(routesFor(appAddressee(app), routes, 0)));
    expect(receivers(a, a)).toMatchObject([{ channel: 'boss' }]);
    expect(receivers(a, b)).toMatchObject([{ channel: 'team' }]);
  });

  it('has a key that no rule can have', () => {
    expect(appOf(newAppAlert('demo'))).toBe('demo');
    expect(appOf({ ruleId: 'demo' })).toBeUndefined();
    expect(() => ruleNamed('app:demo')).toThrow('lower-case letters');
  });
});

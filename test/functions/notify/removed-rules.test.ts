import { describe, expect, it } from 'vitest';
import { syncRules } from '../../../functions/sync-rules/sync-rules.ts';
import { advanceApp, appAddressee, newAppAlert, watchedApps } from '../../../shared/alerts/app-alert.ts';
import type { Message } from '../../../shared/messages/message.ts';
import { incidentNews } from '../../../shared/notifications/incident.ts';
import { queueNews } from '../../../shared/notifications/pending-notifications.ts';
import { routesSchema } from '../../../shared/notifications/routes.ts';
import type { Rule } from '../../../shared/rules/rule.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { MONDAY, ruleNamed } from '../../fixtures/builders.ts';
import { channelsNamed, createNotifier } from '../notifier.ts';

const [sales, visits] = [ruleNamed('sales'), ruleNamed('visits')];
const calendars = { day: { weekly: [{ days: ['mon'], from: '11:00', to: '20:00' }] } };
const loud = { channels: channelsNamed('team'), calendars, default: ['team'] };
const mute = { ...loud, default: { channels: ['team'], mute: ['day'] } };

type Notifier = Awaited<ReturnType<typeof createNotifier>>;

/** Deploys a rule set of only `rules`. */
async function deploy(notifier: Notifier, rules: Rule[], routes: Record<string, unknown> = loud) {
  const ruleSet = { version: `of ${rules.length}`, rules, routes: routesSchema.parse(routes) };
  return syncRules(ruleSet, notifier.deps);
}

function openIncidents(notifier: Notifier): string[] {
  const open = new Set<string>();
  for (const item of notifier.channel('team').sent.flatMap(({ items }) => items)) {
    const news = incidentNews(item);
    if (news?.action === 'trigger') open.add(news.key);
    if (news?.action === 'resolve') open.delete(news.key);
  }
  return [...open];
}

describe('a removed rule that was notified', () => {
  it.each([
    ['fired', 'restarted', {}],
    ['flapping', 'restarted', { flappingSinceAt: MONDAY, fired: null }],
    ['no-data', 'data-back', { noData: { sinceAt: MONDAY, windows: 3, notified: true } }],
    [
      'broken',
      'healed',
      {
        health: {
          kind: 'broken',
          since: 0,
          through: 0,
          reason: { code: 'app-sent-nothing' },
          notified: true,
          streak: 5,
        },
      },
    ],
  ] as const)('as %s is notified once as %s', async (began, over, then) => {
    const notifier = await createNotifier([sales, visits], loud);
    await notifier.happens(sales, { transition: began });
    await notifier.sweep();
    const alert = await notifier.alertOf(sales);
    if (alert) await notifier.alerts.save({ ...alert, ...then });
    expect(openIncidents(notifier)).toHaveLength(1);
    notifier.clock.advanceTo(notifier.clock.now() + HOUR_MS);
    const was = await notifier.alertOf(sales);
    const endedAt = was?.state === 'normal' ? was.stateSinceAt : notifier.clock.now();
    for (let i = 0; i < 2; i++) {
      await deploy(notifier, [visits]);
      await notifier.sweep(1);
    }
    expect(notifier.notified('team')).toEqual([`${began} sales`, `${over} sales`]);
    expect(notifier.channel('team').sent[1]?.text).toBe('Rule removed: sales. The rule was removed.');
    expect(openIncidents(notifier)).toEqual([]);
    expect(await notifier.alerts.loadOpen()).toEqual([]);
    expect((await notifier.alertOf(sales))?.stateSinceAt).toBe(endedAt);
    expect(notifier.logged.filter((each) => each !== 'rules activated')).toEqual([
      'alerts of removed rules ended',
    ]);
  });

  it('is notified as ended even if the first message may not have been received', async () => {
    const notifier = await createNotifier([sales, visits], loud);
    await notifier.happens(sales, { transition: 'fired' });
    notifier.channel('team').refuseNext({ kind: 'refused', permanent: false, reason: 'no answer in time' });
    await notifier.sweep();
    await deploy(notifier, [visits]);
    await notifier.sweep(1);
    expect(notifier.notified('team')).toEqual(['restarted sales']);
  });
});

describe('an unsent notification of a removed rule', () => {
  it('is never sent if a mute held it', async () => {
    const notifier = await createNotifier([sales, visits], mute);
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.sweep();
    await deploy(notifier, [visits], mute);
    for (let i = 0; i < 24; i++) await notifier.sweep(1);
    expect(notifier.notified('team')).toEqual([]);
    expect(await notifier.alertOf(sales)).toMatchObject({ pending: {}, state: 'normal' });
  });

  it('is never sent if a run that started earlier found it after the removal', async () => {
    const notifier = await createNotifier([sales, visits], loud);
    await deploy(notifier, [visits]);
    await notifier.happens(sales, { transition: 'fired' });
    await notifier.sweep(1);
    expect(notifier.notified('team')).toEqual([]);
    expect(await notifier.alerts.loadOpen()).toEqual([]);
  });
});

it('a rule that is deployed during a sweep is notified, not taken for a removed one', async () => {
  const sent: string[] = [];
  let meanwhile: (() => Promise<void>) | undefined;
  const send = async ({ items }: Message) => {
    sent.push(...items.map(({ transition, ruleId }) => `${transition} ${ruleId}`));
    const next = meanwhile;
    meanwhile = undefined;
    await next?.();
    return { kind: 'sent' as const };
  };
  const notifier = await createNotifier([sales], loud, { channels: { team: { send } } });
  meanwhile = async () => {
    notifier.clock.advanceTo(notifier.clock.now() + 10_000);
    await deploy(notifier, [sales, visits]);
    await notifier.happens(visits, { transition: 'fired' });
    notifier.clock.advanceTo(notifier.clock.now() + 5_000);
  };
  await notifier.happens(sales, { transition: 'fired' });
  await notifier.sweep();
  await notifier.sweep(1);
  expect(sent).toEqual(['fired sales', 'fired visits']);
});

it('a deployment that cannot end an alert fails, with its rules active and other alerts ended', async () => {
  const segments = Array.from({ length: 40 }, (_, i) => `s${i}`);
  const notifier = await createNotifier([sales, visits], loud);
  for (const segment of segments) await notifier.happens(sales, { transition: 'fired', segment });
  const { alerts } = notifier.deps;
  const save: typeof alerts.save = async (alert) => {
    if (alert.segment === 's7') throw new Error('the table is busy');
    return alerts.save(alert);
  };
  const deps = { ...notifier.deps, alerts: { ...alerts, save } };
  const ruleSet = { version: 'next', rules: [visits], routes: routesSchema.parse(loud) };
  await expect(syncRules(ruleSet, deps)).rejects.toThrow(
    'the rules are active, but not all open alerts of removed rules could be ended (sales); deploy again',
  );
  const left = (await alerts.loadOfRule('sales')).filter(({ state }) => state === 'firing');
  expect(left.map(({ segment }) => segment)).toEqual(['s7']);
  expect(await syncRules(ruleSet, notifier.deps)).toBe('unchanged');
  expect((await alerts.loadOfRule('sales')).filter(({ state }) => state === 'firing')).toEqual([]);
});

it('a removed rule ends even if the index is behind and the first save fails', async () => {
  const notifier = await createNotifier([sales, visits], loud);
  await notifier.happens(sales, { transition: 'fired' });
  await notifier.sweep();
  const { alerts } = notifier.deps;
  let refusals = 1;
  const save: typeof alerts.save = async (alert) => {
    if (refusals-- > 0) throw new Error('the table is busy');
    return alerts.save(alert);
  };
  const deps = { ...notifier.deps, alerts: { ...alerts, save, loadOpen: async () => [] } };
  const ruleSet = { version: 'next', rules: [visits], routes: routesSchema.parse(loud) };
  expect(await syncRules(ruleSet, deps)).toBe('saved');
  await notifier.sweep();
  expect(notifier.notified('team')).toEqual(['fired sales', 'restarted sales']);
});

it('an app without rules is reported as no longer watched, and gets no reminders', async () => {
  const routes = { ...loud, default: { channels: ['team'], repeat: { after: '4 hours' } } };
  const notifier = await createNotifier([sales], routes);
  const at = notifier.clock.now();
  const seen = { newestDataAt: MONDAY, overdueBeforeAt: MONDAY + HOUR_MS, scheduledAt: at };
  const about = {
    windowEndAt: at,
    evaluation: null,
    firedWindowEndAt: null,
    tick: { id: 'by-hand@', scheduledAt: at },
  };
  const stopped = advanceApp(newAppAlert('demo'), seen);
  const [demo] = watchedApps([sales]);
  if (!demo) throw new Error('no app');
  await notifier.alerts.save(queueNews(stopped, appAddressee(demo), routesSchema.parse(routes), about));
  await notifier.sweep();
  // The index is behind.
  notifier.deps.alerts.loadOpen = async () => [];
  await deploy(notifier, [], routes);
  for (let i = 0; i < 5; i++) await notifier.sweep(24);
  expect(notifier.notified('team')).toEqual(['stopped app:demo', 'restarted app:demo']);
  expect(notifier.channel('team').sent[1]?.text).toContain('No rules left: demo. Demo has no rules left.');
  expect(openIncidents(notifier)).toEqual([]);
});

it('notifications of an unreadable rule stay pending, and those of other rules are sent', async () => {
  const notifier = await createNotifier([sales, visits], loud);
  await notifier.happens(sales, { transition: 'fired' });
  await notifier.happens(visits, { transition: 'fired' });
  const routes = routesSchema.parse(loud);
  const { loadCurrent } = notifier.rules;
  notifier.rules.loadCurrent = async () => ({
    ...{ version: 'read in part', rules: [visits], routes, unreadable: ['sales'] },
  });
  await notifier.sweep();
  expect(notifier.notified('team')).toEqual(['fired visits']);
  notifier.rules.loadCurrent = loadCurrent;
  await notifier.sweep();
  expect(notifier.notified('team')).toEqual(['fired visits', 'fired sales']);
});

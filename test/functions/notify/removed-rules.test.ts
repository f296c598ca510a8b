import { describe, expect, it } from 'vitest';
import { syncRules } from '../../../functions/sync-rules/sync-rules.ts';
import { advanceApp, appAddressee, newAppAlert } from '../../../shared/alerting/alerts/app-alert.ts';
import type { Message } from '../../../shared/alerting/messages/message.ts';
import { incidentNews } from '../../../shared/alerting/notifications/incident.ts';
import { queueNews } from '../../../shared/alerting/notifications/pending-notifications.ts';
import { routesSchema } from '../../../shared/alerting/notifications/routes.ts';
import type { Rule } from '../../../shared/alerting/rules/rule.ts';
import { HOUR, MONDAY, ruleNamed } from '../../fixtures/builders.ts';
import { anAnnouncer, channelsNamed } from '../announcer.ts';

const [sales, visits] = [ruleNamed('sales'), ruleNamed('visits')];
const calendars = { day: { weekly: [{ days: ['mon'], from: '11:00', to: '20:00' }] } };
const loud = { channels: channelsNamed('team'), calendars, default: ['team'] };
const mute = { ...loud, default: { channels: ['team'], mute: ['day'] } };

type Announcer = Awaited<ReturnType<typeof anAnnouncer>>;

/** A rule set of `rules` alone is put in force. */
async function deploy(announcer: Announcer, rules: Rule[], routes: Record<string, unknown> = loud) {
  const ruleSet = { version: `of ${rules.length}`, rules, routes: routesSchema.parse(routes) };
  return syncRules(ruleSet, announcer.deps);
}

function openIncidents(announcer: Announcer): string[] {
  const open = new Set<string>();
  for (const item of announcer.channel('team').sent.flatMap(({ items }) => items)) {
    const news = incidentNews(item);
    if (news?.action === 'trigger') open.add(news.key);
    if (news?.action === 'resolve') open.delete(news.key);
  }
  return [...open];
}

describe('what was told of a rule that is removed', () => {
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
  ] as const)('%s is told to be over, once', async (began, over, then) => {
    const announcer = await anAnnouncer([sales, visits], loud);
    await announcer.happens(sales, { transition: began });
    await announcer.sweep();
    const alert = await announcer.alertOf(sales);
    if (alert) await announcer.alerts.save({ ...alert, ...then });
    expect(openIncidents(announcer)).toHaveLength(1);
    announcer.clock.advanceTo(announcer.clock.now() + HOUR);
    for (let i = 0; i < 2; i++) {
      await deploy(announcer, [visits]);
      await announcer.sweep(1);
    }
    expect(announcer.notified('team')).toEqual([`${began} sales`, `${over} sales`]);
    expect(announcer.channel('team').sent[1]?.text).toBe('Rule removed: sales. The rule was removed.');
    expect(openIncidents(announcer)).toEqual([]);
    expect(await announcer.alerts.loadOpen()).toEqual([]);
  });

  it('is told to be over though it could not be told at once', async () => {
    const announcer = await anAnnouncer([sales, visits], loud);
    await announcer.happens(sales, { transition: 'fired' });
    announcer.channel('team').refuseNext({ kind: 'refused', permanent: false, reason: 'no answer in time' });
    await announcer.sweep();
    await deploy(announcer, [visits]);
    await announcer.sweep(1);
    expect(announcer.notified('team')).toEqual(['restarted sales']);
  });
});

describe('what nobody was told of a rule that is removed', () => {
  it('is never told, whatever held it back', async () => {
    const announcer = await anAnnouncer([sales, visits], mute);
    await announcer.happens(sales, { transition: 'fired' });
    await announcer.sweep();
    await deploy(announcer, [visits], mute);
    for (let i = 0; i < 24; i++) await announcer.sweep(1);
    expect(announcer.notified('team')).toEqual([]);
    expect(await announcer.alertOf(sales)).toMatchObject({ pending: {}, state: 'normal' });
  });

  it('is never told, though its owner has a silence that can no longer be matched', async () => {
    const announcer = await anAnnouncer([sales, visits], loud);
    const untilAt = announcer.clock.now() + 40 * HOUR;
    const match = { owner: sales.owner };
    await announcer.silences.save({ id: 'one', match, fromAt: 0, untilAt, by: 'anna', at: 0, reason: '' });
    await announcer.happens(sales, { transition: 'fired' });
    await announcer.sweep();
    await deploy(announcer, [visits]);
    await announcer.sweep(1);
    expect(announcer.notified('team')).toEqual([]);
  });

  it('is never told, though a run that began before found it after', async () => {
    const announcer = await anAnnouncer([sales, visits], loud);
    await deploy(announcer, [visits]);
    await announcer.happens(sales, { transition: 'fired' });
    await announcer.sweep(1);
    expect(announcer.notified('team')).toEqual([]);
    expect(await announcer.alerts.loadOpen()).toEqual([]);
  });
});

it('a rule that is deployed while a sweep is at it is told, and not taken for one that is gone', async () => {
  const sent: string[] = [];
  let meanwhile: (() => Promise<void>) | undefined;
  const send = async ({ items }: Message) => {
    sent.push(...items.map(({ transition, ruleId }) => `${transition} ${ruleId}`));
    const next = meanwhile;
    meanwhile = undefined;
    await next?.();
    return { kind: 'sent' as const };
  };
  const announcer = await anAnnouncer([sales], loud, { channels: { team: { send } } });
  meanwhile = async () => {
    announcer.clock.advanceTo(announcer.clock.now() + 10_000);
    await deploy(announcer, [sales, visits]);
    await announcer.happens(visits, { transition: 'fired' });
    announcer.clock.advanceTo(announcer.clock.now() + 5_000);
  };
  await announcer.happens(sales, { transition: 'fired' });
  await announcer.sweep();
  await announcer.sweep(1);
  expect(sent).toEqual(['fired sales', 'fired visits']);
});

it('an alert that cannot be ended fails the deployment, which activated its rules, and leaves no other open', async () => {
  const segments = Array.from({ length: 40 }, (_, i) => `s${i}`);
  const announcer = await anAnnouncer([sales, visits], loud);
  for (const segment of segments) await announcer.happens(sales, { transition: 'fired', segment });
  const { alerts } = announcer.deps;
  const save: typeof alerts.save = async (alert) => {
    if (alert.segment === 's7') throw new Error('the table is busy');
    return alerts.save(alert);
  };
  const deps = { ...announcer.deps, alerts: { ...alerts, save } };
  const ruleSet = { version: 'next', rules: [visits], routes: routesSchema.parse(loud) };
  await expect(syncRules(ruleSet, deps)).rejects.toThrow(
    'the rules are active, but not all open alerts of removed rules could be ended (sales); deploy again',
  );
  const left = (await alerts.loadOfRule('sales')).filter(({ state }) => state === 'firing');
  expect(left.map(({ segment }) => segment)).toEqual(['s7']);
  expect(await syncRules(ruleSet, announcer.deps)).toBe('unchanged');
  expect((await alerts.loadOfRule('sales')).filter(({ state }) => state === 'firing')).toEqual([]);
});

it('a removed rule ends though the index does not show yet that it fires, and though the table is busy once', async () => {
  const announcer = await anAnnouncer([sales, visits], loud);
  await announcer.happens(sales, { transition: 'fired' });
  await announcer.sweep();
  const { alerts } = announcer.deps;
  let refusals = 1;
  const save: typeof alerts.save = async (alert) => {
    if (refusals-- > 0) throw new Error('the table is busy');
    return alerts.save(alert);
  };
  const deps = { ...announcer.deps, alerts: { ...alerts, save, loadOpen: async () => [] } };
  const ruleSet = { version: 'next', rules: [visits], routes: routesSchema.parse(loud) };
  expect(await syncRules(ruleSet, deps)).toBe('saved');
  await announcer.sweep();
  expect(announcer.notified('team')).toEqual(['fired sales', 'restarted sales']);
});

it('an app that has no rules left is told to be no longer watched, and never reminded of', async () => {
  const routes = { ...loud, default: { channels: ['team'], repeat: { after: '4 hours' } } };
  const announcer = await anAnnouncer([sales], routes);
  const at = announcer.clock.now();
  const seen = { newestDataAt: MONDAY, overdueBeforeAt: MONDAY + HOUR, scheduledAt: at };
  const about = {
    windowEndAt: at,
    evaluation: null,
    firedWindowEndAt: null,
    tick: { id: 'by-hand@', scheduledAt: at },
  };
  const stopped = advanceApp(newAppAlert('demo'), seen);
  await announcer.alerts.save(
    queueNews(stopped, appAddressee('demo', [sales]), routesSchema.parse(routes), about),
  );
  await announcer.sweep();
  // The index does not show it yet.
  announcer.deps.alerts.loadOpen = async () => [];
  await deploy(announcer, [], routes);
  for (let i = 0; i < 5; i++) await announcer.sweep(24);
  expect(announcer.notified('team')).toEqual(['stopped app:demo', 'restarted app:demo']);
  expect(announcer.channel('team').sent[1]?.text).toContain('No rules left: demo. Demo has no rules left.');
  expect(openIncidents(announcer)).toEqual([]);
});

it('a rule that cannot be read is not removed: what it owes waits until it can, and others are told', async () => {
  const announcer = await anAnnouncer([sales, visits], loud);
  await announcer.happens(sales, { transition: 'fired' });
  await announcer.happens(visits, { transition: 'fired' });
  const routes = routesSchema.parse(loud);
  await announcer.rules.save({ version: 'read in part', rules: [visits], routes, unreadable: ['sales'] });
  await announcer.sweep();
  expect(announcer.notified('team')).toEqual(['fired visits']);
  await announcer.rules.save({ version: 'read', rules: [sales, visits], routes });
  await announcer.sweep();
  expect(announcer.notified('team')).toEqual(['fired visits', 'fired sales']);
});

import { describe, expect, it } from 'vitest';
import { notifyPending } from '../../functions/notify/notify.ts';
import { inMemoryUsedLinks } from '../../shared/adapters/in-memory/stores.ts';
import type { Answer } from '../../shared/alerting/alerts/alert.ts';
import { appAlertKey } from '../../shared/alerting/alerts/app-alert.ts';
import { type Given, giveAnswer } from '../../shared/responding/give-answer.ts';
import { dayAt, HOUR, ruleNamed } from '../fixtures/builders.ts';
import { createWorld } from './world.ts';

const RULE = ruleNamed('sales', { fire: { change: { below: '-30%', above: '30%' } } });

/** 1,000 a day, some 3 % up and down, but for those from day 20 on that `odd` tells. */
function worldWith(odd: (day: number) => number | undefined) {
  const figure = (day: number) => (day >= 20 ? odd(day) : undefined) ?? (day % 2 ? 1030 : 970);
  const world = createWorld({ rules: [RULE], figure });
  const used = inMemoryUsedLinks();
  const say = async (answer: Answer, key: Given['key'] = { ruleId: 'sales', segment: null }) => {
    const given = { key, answer, firedWindowEndAt: undefined, link: null };
    const outcome = await giveAnswer(given, { by: 'Anna', reason: '' }, { ...world, used });
    expect(outcome.kind).toBe('answered');
    const logger = { info() {}, warn() {}, error() {} };
    const channelFor = async () => world.channel;
    await notifyPending({ ...world, channelFor, logger, meter: { count() {} } });
  };
  return { ...world, say };
}

describe('a day that was to be expected', () => {
  it('is over once somebody says so, and makes no rise of the day after it', async () => {
    const world = worldWith((day) => (day === 20 ? 300 : undefined));
    await world.ticks(0, 20);
    await world.say('holiday');
    await world.ticks(21, 30);
    expect(world.notified()).toEqual(['fired sales', 'excused sales']);
  });

  it('stays so when the rule is changed', async () => {
    const world = worldWith((day) => (day === 20 ? 300 : undefined));
    await world.ticks(0, 20);
    await world.say('holiday');
    world.deploy(ruleNamed('sales', { fire: { change: { below: '-25%', above: '25%' } } }));
    await world.ticks(21, 30);
    expect(world.notified()).toEqual(['fired sales', 'excused sales']);
    const [alert] = await world.alerts.loadOfRule('sales');
    expect(alert).toMatchObject({
      ...{ excusedUntilAt: dayAt(20).endAt, incidents: [dayAt(20)] },
      answers: [{ answer: 'holiday', by: 'Anna' }],
    });
  });
});

it('an accepted level is the usual one at once, and what falls from it is told', async () => {
  const world = worldWith((day) => (day === 25 ? 100 : 300));
  await world.ticks(0, 20);
  await world.say('accept');
  await world.ticks(21, 25);
  expect(world.notified()).toEqual(['fired sales', 'accepted sales', 'fired sales']);
});

it('an incident that lasts is not taken for the usual level', async () => {
  const world = worldWith(() => 300);
  await world.ticks(0, 20);
  await world.say('incident');
  await world.ticks(21, 50);
  expect(world.notified()).toEqual(['fired sales']);
});

it('whoever has it is told to those who were told of it, and its end as ever', async () => {
  const world = worldWith((day) => (day <= 22 ? 300 : undefined));
  await world.ticks(0, 20);
  await world.say('acknowledge');
  await world.ticks(21, 28);
  expect(world.notified()).toEqual(['fired sales', 'acknowledged sales', 'recovered sales']);
});

it('an app that stopped can be taken, too', async () => {
  const world = worldWith(() => undefined);
  await world.ticks(0, 18);
  world.source.stoppedAt = dayAt(19).endAt - HOUR;
  await world.ticks(19, 21);
  await world.say('acknowledge', appAlertKey('demo'));
  world.source.stoppedAt = Number.POSITIVE_INFINITY;
  await world.tick(22);
  expect(world.notified()).toEqual(['stopped app:demo', 'acknowledged app:demo', 'resumed app:demo']);
  const [alert] = await world.alerts.load([appAlertKey('demo')]);
  expect(alert?.acknowledged).toBeNull();
});

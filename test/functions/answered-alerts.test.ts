import { describe, expect, it } from 'vitest';
import { notifyPending } from '../../functions/notify/notify.ts';
import { silentMeter } from '../../local/terminal.ts';
import type { Answer } from '../../shared/alerts/alert.ts';
import { appAlertKey } from '../../shared/alerts/app-alert.ts';
import { type Given, giveAnswer } from '../../shared/responding/give-answer.ts';
import { HOUR_MS } from '../../shared/units/durations.ts';
import { inMemoryUsedLinks } from '../fakes/in-memory-used-links.ts';
import { dayAt, ruleNamed } from '../fixtures/builders.ts';
import { createWorld } from './world.ts';

const RULE = ruleNamed('sales', { fire: { change: { below: '-30%', above: '30%' } } });

/** 1,000 a day, some 3% up and down; from day 20 on the result of `special`, if it has one. */
function worldWith(special: (day: number) => number | undefined) {
  const figure = (day: number) => (day >= 20 ? special(day) : undefined) ?? (day % 2 ? 1030 : 970);
  const world = createWorld({ rules: [RULE], figure });
  const used = inMemoryUsedLinks();
  const give = async (answer: Answer, key: Given['key'] = { ruleId: 'sales', segment: null }) => {
    const given = { key, answer, firedWindowEndAt: undefined, link: null };
    const outcome = await giveAnswer(given, { by: 'Anna', reason: '', how: 'page' }, { ...world, used });
    expect(outcome.kind).toBe('answered');
    const logger = { info() {}, warn() {}, error() {} };
    const channelFor = async () => world.channel;
    await notifyPending({ ...world, channelFor, logger, meter: silentMeter });
  };
  return { ...world, give };
}

describe('a day that is answered as a holiday', () => {
  it('ends the alert, and the next day is not a rise', async () => {
    const world = worldWith((day) => (day === 20 ? 300 : undefined));
    await world.ticks(0, 20);
    await world.give('holiday');
    await world.ticks(21, 30);
    expect(world.notified()).toEqual(['fired sales', 'excused sales']);
  });

  it('stays excused after a change of the rule', async () => {
    const world = worldWith((day) => (day === 20 ? 300 : undefined));
    await world.ticks(0, 20);
    await world.give('holiday');
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

it('an accepted level is the new baseline at once, and a fall from it fires', async () => {
  const world = worldWith((day) => (day === 25 ? 100 : 300));
  await world.ticks(0, 20);
  await world.give('accept');
  await world.ticks(21, 25);
  expect(world.notified()).toEqual(['fired sales', 'accepted sales', 'fired sales']);
});

it('an alert that is answered as an incident is not rebaselined', async () => {
  const world = worldWith(() => 300);
  await world.ticks(0, 20);
  await world.give('incident');
  await world.ticks(21, 50);
  expect(world.notified()).toEqual(['fired sales']);
});

it('an acknowledgement is sent to the channels of the alert, and so is the recovery', async () => {
  const world = worldWith((day) => (day <= 22 ? 300 : undefined));
  await world.ticks(0, 20);
  await world.give('acknowledge');
  await world.ticks(21, 28);
  expect(world.notified()).toEqual(['fired sales', 'acknowledged sales', 'recovered sales']);
});

it('the alert of an app without data can be acknowledged', async () => {
  const world = worldWith(() => undefined);
  await world.ticks(0, 18);
  world.source.stoppedAt = dayAt(19).endAt - HOUR_MS;
  await world.ticks(19, 21);
  await world.give('acknowledge', appAlertKey('demo'));
  world.source.stoppedAt = Number.POSITIVE_INFINITY;
  await world.tick(22);
  expect(world.notified()).toEqual(['stopped app:demo', 'acknowledged app:demo', 'resumed app:demo']);
  const [alert] = await world.alerts.load([appAlertKey('demo')]);
  expect(alert?.acknowledged).toBeNull();
});

import { expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import { dayAt, ruleNamed } from '../../fixtures/builders.ts';
import { createWorld } from '../world.ts';

/** An app with 40 events a day until day 19, and 8 on day 20. Its events of an hour follow `byHour`. */
function smallApp(byHour: (hour: number) => number) {
  const figure = (day: number, { eventName }: { eventName?: string }) =>
    eventName ? (day === 20 ? 8 : 40) : byHour(Math.round((day % 1) * 24));
  return createWorld({ rules: [ruleNamed('sales')], figure });
}

const BY_DAY = (hour: number) => (hour >= 7 && hour < 23 ? 2.5 : 0);
const BY_NIGHT = (hour: number) => (hour >= 7 && hour < 15 ? 0 : 2.5);

/** Runs at 01:00 on the day after each of days 0 to 20. The last event of day 20 is from `lastHour`. */
async function judged(byHour: (hour: number) => number, lastHour: number) {
  const world = smallApp(byHour);
  for (let day = 0; day <= 20; day++) {
    world.source.stoppedAt = dayAt(day).startAt + (day === 20 ? lastHour : 22.7) * HOUR_MS;
    await world.tick(day);
  }
  const [alert] = await world.alerts.loadOfRule('sales');
  return {
    world,
    notified: world.notified(),
    evaluatedDays: ((alert?.evaluatedThroughAt ?? 0) - dayAt(0).startAt) / DAY_MS,
  };
}

it('a fall of a small app that is quiet at night is notified in the night after it', async () => {
  expect(await judged(BY_DAY, 21.5)).toMatchObject({ notified: ['fired sales'], evaluatedDays: 21 });
});

it('an app whose data stop in the evening has not fallen, waits, and is reported as stopped', async () => {
  const { world, ...rest } = await judged(BY_DAY, 18);
  expect(rest).toEqual({ notified: [], evaluatedDays: 20 });
  await world.tick(21);
  expect(world.notified()).toEqual(['stopped app:demo']);
});

it('an app that is busy at night waits for its data', async () => {
  expect(await judged(BY_NIGHT, 21.5)).toMatchObject({ notified: [] });
});

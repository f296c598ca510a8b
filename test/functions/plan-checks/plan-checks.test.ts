import { expect, test } from 'vitest';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { ruleNamed } from '../../fixtures/builders.ts';
import { createWorld } from '../world.ts';

/** The clocks of Berlin went back on Sunday, 25 October 2026, so 73 hours lie between these runs. */
const FRIDAY = Date.UTC(2026, 9, 23, 7);
const MONDAY = Date.UTC(2026, 9, 26, 8);

const onWeekdays = () =>
  createWorld({
    rules: [ruleNamed('sales', { every: 'weekday at 09:00', window: 'hour', zone: 'Europe/Berlin' })],
    figure: () => 1000,
  });
const warnings = ({ logged }: ReturnType<typeof onWeekdays>) =>
  logged.filter(({ message }) => message === 'catching up only the latest windows');

test('a weekend with a change of clocks is evaluated completely, without a warning', async () => {
  const world = onWeekdays();
  await world.tickAt(FRIDAY);
  await world.tickAt(MONDAY);
  const windows = world.planned.at(-1)?.checks.flatMap((check) => check.windows) ?? [];
  expect(windows).toHaveLength(73);
  expect(windows[0]?.startAt).toBe(FRIDAY - HOUR_MS);
  expect(warnings(world)).toEqual([]);
});

test('a warning names the rule whose oldest windows are not evaluated', async () => {
  const world = onWeekdays();
  await world.tickAt(FRIDAY - 24 * HOUR_MS);
  await world.tickAt(MONDAY);
  expect(warnings(world)).toMatchObject([{ fields: { ruleId: 'sales' } }]);
});

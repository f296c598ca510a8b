import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import { runTest } from '../../../workbench/rule-tests/run-test.ts';
import { MONDAY, ruleNamed, ruleSetOf } from '../../fixtures/builders.ts';
import { createWorld } from '../../functions/world.ts';
import { boundIn } from './example-rules.ts';

const RULE = ruleNamed('sales', { compare: { to: 'same_weekday' }, fire_after: '1 of 2' });

/** The value of a day; `undefined` for no row. */
const day = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 900, max: 1100 }) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 500 }) },
  { weight: 1, arbitrary: fc.constant(undefined) },
);
const days = fc.array(day, { minLength: 20, maxLength: 35 });
/** A day that is revised to another value some days later. */
const late = fc.record({ at: fc.nat(19), value: fc.integer({ min: 0, max: 1100 }), after: fc.nat(4) });

/** "2026-03-02". */
const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10);

test('a rule test has the same notifications as production, in order', async () => {
  await fc.assert(
    fc.asyncProperty(days, late, async (figures, { at, value, after }) => {
      const seenAt = MONDAY + (at + 1 + after) * DAY_MS + HOUR_MS / 2;
      const world = createWorld({
        rules: [RULE],
        figure: (each, _, now) => (each === at && now >= seenAt ? value : figures[each]),
      });
      await world.ticks(0, figures.length - 1);

      const seen = `${dateOf(seenAt)} 00:30`;
      const revision = `{ window: ${dateOf(MONDAY + at * DAY_MS)}, value: ${value}, seen: ${seen} }`;
      const values = figures.map((each) => each ?? '_').join(' ');
      const series = `{ event: purchase, values: ${values}, revisions: [${revision}] }`;
      const text = `tests: [{ name: a, starts: ${dateOf(MONDAY)}, series: [${series}], alerts: [] }]`;
      const [test] = boundIn(text, ruleSetOf(RULE)).tests;
      const notified = test ? (await runTest(test)).notified : [];
      expect(
        notified.map(({ pending: { alert, notification } }) => `${notification.transition} ${alert.ruleId}`),
      ).toEqual(world.notified());
    }),
    { numRuns: 6 },
  );
});

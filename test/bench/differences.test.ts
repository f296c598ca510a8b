import { expect, test } from 'vitest';
import { differencesBetween, type Told } from '../../bench/differences.ts';

const told = (more: Partial<Told> = {}): Told => ({
  rule: 'purchases',
  segment: null,
  windowEnd: '2026-03-03T00:00:00.000Z',
  transition: 'fired',
  current: 50,
  baseline: 100,
  route: 'default',
  ...more,
});

test.each<{ name: string; replayed: Told[]; simulated: Told[]; causes: string[] }>([
  { name: 'nothing, where both tell the same', replayed: [told()], simulated: [told()], causes: [] },
  {
    name: 'figures that grew by what came late',
    replayed: [told({ current: 52 })],
    simulated: [told()],
    causes: ['other figures'],
  },
  {
    name: 'a fire that was taken back',
    replayed: [],
    simulated: [
      told(),
      told({ transition: 'retracted', windowEnd: '2026-03-04T00:00:00.000Z', current: 90 }),
    ],
    causes: ['taken back', 'taken back'],
  },
  {
    name: 'a fire on early figures, and its end',
    replayed: [],
    simulated: [told(), told({ transition: 'recovered', windowEnd: '2026-03-05T00:00:00.000Z' })],
    causes: ['only early figures breach', 'follows'],
  },
  {
    name: 'a fire that a baseline made, into which late data came',
    replayed: [told()],
    simulated: [],
    causes: ['only settled figures breach'],
  },
])('lists with its cause: $name', ({ replayed, simulated, causes }) => {
  expect(differencesBetween(replayed, simulated).map(({ cause }) => cause)).toEqual(causes);
});

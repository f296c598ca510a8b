import { expect, test } from 'vitest';
import { differencesBetween, type NewsContext } from '../../bench/differences.ts';

const notified = (more: Partial<NewsContext> = {}): NewsContext => ({
  rule: 'purchases',
  segment: null,
  windowEnd: '2026-03-03T00:00:00.000Z',
  transition: 'fired',
  current: 50,
  baseline: 100,
  route: 'default',
  ...more,
});

test.each<{ name: string; replayed: NewsContext[]; simulated: NewsContext[]; causes: string[] }>([
  { name: 'nothing, where both tell the same', replayed: [notified()], simulated: [notified()], causes: [] },
  {
    name: 'figures that grew by what came late',
    replayed: [notified({ current: 52 })],
    simulated: [notified()],
    causes: ['other figures'],
  },
  {
    name: 'a fire that was taken back',
    replayed: [],
    simulated: [
      notified(),
      notified({ transition: 'retracted', windowEnd: '2026-03-04T00:00:00.000Z', current: 90 }),
    ],
    causes: ['taken back', 'taken back'],
  },
  {
    name: 'a fire on early figures, and its end',
    replayed: [],
    simulated: [notified(), notified({ transition: 'recovered', windowEnd: '2026-03-05T00:00:00.000Z' })],
    causes: ['only early figures breach', 'follows'],
  },
  {
    name: 'a fire that a baseline made, into which late data came',
    replayed: [notified()],
    simulated: [],
    causes: ['only settled figures breach'],
  },
])('lists with its cause: $name', ({ replayed, simulated, causes }) => {
  expect(differencesBetween(replayed, simulated).map(({ cause }) => cause)).toEqual(causes);
});

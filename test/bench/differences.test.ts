import { expect, test } from 'vitest';
import { type ComparedNotification, differencesBetween } from '../../bench/differences.ts';

const aNotification = (more: Partial<ComparedNotification> = {}): ComparedNotification => ({
  rule: 'purchases',
  segment: null,
  windowEnd: '2026-03-03T00:00:00.000Z',
  transition: 'fired',
  current: 50,
  baseline: 100,
  route: 'default',
  ...more,
});

test.each<{
  name: string;
  replayed: ComparedNotification[];
  simulated: ComparedNotification[];
  causes: string[];
}>([
  {
    name: 'nothing if both are the same',
    replayed: [aNotification()],
    simulated: [aNotification()],
    causes: [],
  },
  {
    name: 'values that grew with late data',
    replayed: [aNotification({ current: 52 })],
    simulated: [aNotification()],
    causes: ['other figures'],
  },
  {
    name: 'a fire that was retracted',
    replayed: [],
    simulated: [
      aNotification(),
      aNotification({ transition: 'retracted', windowEnd: '2026-03-04T00:00:00.000Z', current: 90 }),
    ],
    causes: ['taken back', 'taken back'],
  },
  {
    name: 'a fire on early values, and its end',
    replayed: [],
    simulated: [
      aNotification(),
      aNotification({ transition: 'recovered', windowEnd: '2026-03-05T00:00:00.000Z' }),
    ],
    causes: ['only early figures breach', 'follows'],
  },
  {
    name: 'a fire whose baseline grew with late data',
    replayed: [aNotification()],
    simulated: [],
    causes: ['only settled figures breach'],
  },
])('lists with its cause: $name', ({ replayed, simulated, causes }) => {
  expect(differencesBetween(replayed, simulated).map(({ cause }) => cause)).toEqual(causes);
});

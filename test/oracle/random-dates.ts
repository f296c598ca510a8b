import fc from 'fast-check';
import { DAY_MS, HOUR_MS } from '../../shared/units/durations.ts';
import { addDays, localDate } from './local-time.ts';
import { ZONES } from './random-world.ts';
import type { World } from './rows.ts';

export const anyOf = <T>(values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);

interface Range {
  readonly lower: string;
  readonly upper: string;
}

/** Dates and timestamps that matter in a world. */
export interface Dates {
  readonly bound: fc.Arbitrary<string>;
  /** Any two bounds, sometimes in the wrong order. */
  readonly range: fc.Arbitrary<Range>;
  /** From an hour to half a year, by dates, by timestamps, or by one of each. */
  readonly window: fc.Arbitrary<Range>;
}

export function datesIn(world: World): Dates {
  const { zone } = world;
  const moment = momentIn(world);
  const bound = moment.chain((at) => fc.oneof(fc.constant(localDate(at, zone)), timestamp(at)));
  const range = fc.tuple(bound, bound, fc.nat(9)).map(([one, other, chance]) => {
    const inOrder = Date.parse(one) <= Date.parse(other);
    return inOrder === chance > 0 ? { lower: one, upper: other } : { lower: other, upper: one };
  });
  const days = fc.tuple(moment, anyOf([0, 0, 1, 2, 6, 9, 30, 61])).map(([at, more]) => {
    const lower = localDate(at, zone);
    return { lower, upper: addDays(lower, more) };
  });
  const exact = fc
    .tuple(moment, anyOf([0, 1, HOUR_MS, DAY_MS, 2.5 * DAY_MS, 20 * DAY_MS, 200 * DAY_MS]))
    .chain(([at, more]) => fc.record({ lower: timestamp(at), upper: timestamp(at + more) }));
  const window = fc.oneof(
    { weight: 5, arbitrary: days },
    { weight: 4, arbitrary: exact },
    { weight: 1, arbitrary: range },
  );
  return { bound, range, window };
}

/** Times around clock changes, the ends of the default window, and sessions. */
function momentIn({ zone, now, sessions }: World): fc.Arbitrary<number> {
  const changes = (ZONES[zone] ?? []).map((change) => Date.parse(change));
  const around = anyOf([...changes, ...changes, now, now - 30 * DAY_MS]);
  return fc.oneof(
    fc.tuple(around, fc.integer({ min: -144, max: 144 })).map(([at, steps]) => at + steps * (HOUR_MS / 2)),
    anyOf(sessions).map(({ recorded_at }) => recorded_at),
  );
}

const timestamp = (at: number): fc.Arbitrary<string> =>
  anyOf([new Date(at).toISOString(), new Date(at + 5.5 * HOUR_MS).toISOString().replace('Z', '+05:30')]);

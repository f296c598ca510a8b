import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pagePlace } from '../../../../functions/data-access/answers/lists.ts';

const LENGTH = 10;

test('the location contains exactly the rows of the page', () => {
  const times = fc.array(fc.integer({ min: 0, max: 99 }), { maxLength: 60 });
  fc.assert(
    fc.property(times, fc.nat(70), fc.integer({ min: 1, max: 20 }), (recorded, skip, take) => {
      const newestFirst = recorded.sort((a, b) => b - a);
      const counts = [...Map.groupBy(recorded, (at) => at - (at % LENGTH))].map(([starts, rows]) => ({
        starts,
        n: rows.length,
      }));
      const place = pagePlace(counts, LENGTH, { skip, take });
      const inPlace = place ? newestFirst.filter((at) => at >= place.from && at < place.to) : [];
      const page = place ? inPlace.slice(place.offset, place.offset + take) : [];
      expect(page).toEqual(newestFirst.slice(skip, skip + take));
    }),
  );
});

test('the location of page 1,000 covers only the periods of its rows', () => {
  const counts = Array.from({ length: 720 }, (_, at) => ({ starts: at * LENGTH, n: 100 }));
  const place = pagePlace(counts, LENGTH, { skip: 49_950, take: 50 });
  expect(place).toEqual({ from: 220 * LENGTH, to: 221 * LENGTH, offset: 50 });
});

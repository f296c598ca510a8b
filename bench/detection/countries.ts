import type { Holidays } from '../../shared/time/holiday-calendar.ts';
import { occasionsOf } from '../../shared/time/occasion.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import type { Series } from './series.ts';

/** The country of a series, by a word of its name. */
const COUNTRIES: [words: RegExp, holidays: Holidays][] = [
  [/(^|_)(us|ma|wy|dc|nyc|jfk|tweets)(_|$)/, { country: 'US', days: [] }],
  [/(^|_)london(_|$)/, { country: 'GB', days: [] }],
  [/(^|_)seoul(_|$)/, { country: 'KR', days: [] }],
  [/(^|_)mtl(_|$)/, { country: 'CA', region: 'QC', days: [] }],
];

/** The points of a series, with the holidays of its country. Their times are local ones, written as UTC. */
export function withOccasions(name: string, points: Series['points']): Series['points'] {
  const [, holidays] = COUNTRIES.find(([words]) => words.test(name)) ?? [];
  if (!holidays) return points;
  const occasionOn = occasionsOf(holidays);
  return points.map((point) => ({ ...point, occasion: occasionOn(Math.floor(point.at / DAY_MS)) }));
}

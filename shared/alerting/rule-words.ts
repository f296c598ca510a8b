import * as z from 'zod';
import { isZone } from '../analytics/zone.ts';

/** Text of one form, told so whatever else is given. */
const text = (form: RegExp, error: string) => z.string(error).regex(form, error);

/** An identity that people write, and that fits into keys and links. */
export const slug = text(/^[a-z0-9][a-z0-9-]{0,79}$/, 'use lower-case letters, digits and dashes');

/** An IANA time zone. */
export const zone = z
  .string()
  .refine(isZone, { error: 'use an IANA time zone, such as "Europe/Berlin" or "UTC"' });

/** "150%" as 1.5. */
export const percent = text(
  /^-?\d+(\.\d+)?%$/,
  'write a percentage with its sign, such as "50%" or "-30%"',
).transform((given) => Number(given.slice(0, -1)) / 100);

/** "45 minutes" or "3 hours" as minutes. */
export const minutes = text(
  /^\d+ (minutes?|hours?)$/,
  'write a duration such as "45 minutes" or "3 hours"',
).transform((given) => Number.parseInt(given, 10) * (given.includes('hour') ? 60 : 1));

/** "2 of 3" as { hits: 2, windows: 3 }. */
export const ofWindows = text(
  /^[1-9]\d? of [1-9]\d?$/,
  'write a count of windows such as "1 of 1" or "2 of 3"',
)
  .transform((given) => {
    const [hits = 1, windows = 1] = given.split(' of ').map(Number);
    return { hits, windows };
  })
  .refine(({ hits, windows }) => hits <= windows && windows <= 24, {
    error: 'the first number must not exceed the second, and the second not 24',
  });

import * as z from 'zod';
import { spellingOfZone } from '../analytics/zone.ts';

/** Text of one form, told so whatever else is given. */
const text = (form: RegExp, error: string) => z.string(error).regex(form, error);

/** An identity that people write, and that fits into keys and links. */
export const slug = text(/^[a-z0-9][a-z0-9-]{0,79}$/, 'use lower-case letters, digits and dashes');

/** An IANA time zone in IANA's own spelling, as schedulers want it. */
export const zone = z.string().refine((name) => spellingOfZone(name) === name, {
  error: ({ input }) => {
    const spelling = spellingOfZone(String(input));
    return spelling === undefined
      ? 'use an IANA time zone, such as "Europe/Berlin" or "UTC"'
      : `use an IANA time zone in its own spelling, here "${spelling}"`;
  },
});

/** "150%" as 1.5. */
export const percent = z.codec(
  text(/^-?\d+(\.\d+)?%$/, 'write a percentage with its sign, such as "50%" or "-30%"'),
  z.number(),
  {
    decode: (given) => Number(given.slice(0, -1)) / 100,
    encode: (ratio) => `${Number((ratio * 100).toPrecision(12))}%`,
  },
);

/** "45 minutes", "3 hours" or "2 days" as minutes. */
export const minutes = z.codec(
  text(/^\d+ (minute|hour|day)s?$/, 'write a duration such as "45 minutes", "3 hours" or "2 days"'),
  z.number(),
  {
    decode: (given) =>
      Number.parseInt(given, 10) * (given.includes('day') ? 1440 : given.includes('hour') ? 60 : 1),
    encode: (count) => `${count} minutes`,
  },
);

/** "4 weeks" as 4. */
export const weeks = z.codec(
  text(/^[2-8] weeks$/, 'write a number of weeks from "2 weeks" to "8 weeks"'),
  z.number(),
  { decode: (given) => Number.parseInt(given, 10), encode: (count) => `${count} weeks` },
);

/** "2 of 3" as { hits: 2, windows: 3 }. */
export const ofWindows = z
  .codec(
    text(/^[1-9]\d? of [1-9]\d?$/, 'write a count of windows such as "1 of 1" or "2 of 3"'),
    z.object({ hits: z.number(), windows: z.number() }),
    {
      decode: (given) => {
        const [hits = 1, windows = 1] = given.split(' of ').map(Number);
        return { hits, windows };
      },
      encode: ({ hits, windows }) => `${hits} of ${windows}`,
    },
  )
  .refine(({ hits, windows }) => hits <= windows && windows <= 24, {
    error: 'the first number must not exceed the second, and the second not 24',
  });

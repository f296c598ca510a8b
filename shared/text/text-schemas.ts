import * as z from 'zod';
import { spellingOfZone } from '../contract/zone.ts';

/** A text that matches `form`, with the same error for any other value. */
const text = (form: RegExp, error: string) => z.string(error).regex(form, error);

/** One value, or a list of them. */
export const oneOrMore = <T extends z.ZodType>(one: T) => z.union([one, z.array(one).min(1)]);

/** One value, or a list of at least `least`, as a list. */
export const listOf = <T extends z.ZodType>(one: T, least = 1) =>
  z
    .union([one, z.array(one).min(least)])
    .transform((given): z.output<T>[] => (Array.isArray(given) ? given : [given]));

/** An identifier that is safe in keys and links. */
export const slug = text(
  /^[a-z0-9][a-z0-9-]{0,79}$/,
  'use lower-case letters, digits and dashes, such as "checkout-errors"',
);

/** An IANA time zone in IANA's spelling, which schedulers require. */
export const zone = z.string().refine((name) => spellingOfZone(name) === name, {
  error: ({ input }) => {
    const spelling = spellingOfZone(String(input));
    return spelling === undefined
      ? 'use an IANA time zone, such as "Europe/Berlin" or "UTC"'
      : `use the spelling of IANA, "${spelling}"`;
  },
});

/**
 * A text that matches `form` and has a template literal type, so that editors check rules in TypeScript.
 * The template is looser than the form: its numbers may have a sign.
 */
const formed = <T extends string>(template: z.ZodTemplateLiteral<T>, form: RegExp, error: string) =>
  template.refine((given) => form.test(given), error).meta({ pattern: form.source });

function percentageWanted({ input }: { input?: unknown }): string {
  return typeof input === 'string' && input.startsWith('+')
    ? 'write a percentage without "+", such as "50%"'
    : 'write a percentage with its sign, such as "50%" or "-30%"';
}

/** "150%" as 1.5. */
export const percent = z.codec(
  z.templateLiteral([z.number(), '%'], { error: percentageWanted }),
  z.number(),
  {
    decode: (given) => Number(given.slice(0, -1)) / 100,
    encode: (ratio) => `${Number((ratio * 100).toPrecision(12))}%` as const,
  },
);

const A_DURATION = 'write a duration such as "45 minutes", "3 hours" or "2 days"';
const SPANS = z.enum(['minute', 'minutes', 'hour', 'hours', 'day', 'days']);

/** "45 minutes", "3 hours" or "2 days" as minutes. */
export const minutes = z.codec(
  formed(z.templateLiteral([z.int(), ' ', SPANS], A_DURATION), /^\d+ (minute|hour|day)s?$/, A_DURATION),
  z.number(),
  {
    decode: (given) =>
      Number.parseInt(given, 10) * (given.includes('day') ? 1440 : given.includes('hour') ? 60 : 1),
    encode: (count) => `${count} minutes` as const,
  },
);

const SOME_WEEKS = 'write a number of weeks from "2 weeks" to "8 weeks"';

/** "4 weeks" as 4. */
export const weeks = z.codec(
  formed(z.templateLiteral([z.int(), ' weeks'], SOME_WEEKS), /^[2-8] weeks$/, SOME_WEEKS),
  z.number(),
  { decode: (given) => Number.parseInt(given, 10), encode: (count) => `${count} weeks` as const },
);

const A_COUNT = 'write a count of windows such as "1 of 1" or "2 of 3"';

/** "2 of 3" as { hits: 2, windows: 3 }. */
export const ofWindows = z
  .codec(
    formed(z.templateLiteral([z.int(), ' of ', z.int()], A_COUNT), /^[1-9]\d? of [1-9]\d?$/, A_COUNT),
    z.object({ hits: z.number(), windows: z.number() }),
    {
      decode: (given) => {
        const [hits = 1, windows = 1] = given.split(' of ').map(Number);
        return { hits, windows };
      },
      encode: ({ hits, windows }) => `${hits} of ${windows}` as const,
    },
  )
  .refine(({ hits, windows }) => hits <= windows && windows <= 24, {
    error: 'the first number must be at most the second, and the second at most 24',
  });

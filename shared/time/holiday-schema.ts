import * as z from 'zod';

/** Public holidays of a country or region, and days that the team adds. */
export const holidaysSchema = z
  .strictObject({
    country: z
      .string()
      .regex(/^[A-Z]{2}$/, 'use the two letters of a country, such as "DE"')
      .optional(),
    region: z.string().min(1).optional(),
    days: z.array(z.iso.date('write days such as "2026-12-24"')).default([]),
  })
  .refine(({ country, days }) => country !== undefined || days.length > 0, {
    error: 'give a "country", "days" or both',
  })
  .refine(({ country, region }) => region === undefined || country !== undefined, {
    error: 'a "region" needs its "country"',
    path: ['region'],
  });

export type Holidays = z.output<typeof holidaysSchema>;

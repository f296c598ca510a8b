import { createRequire } from 'node:module';
import type HolidayCalendar from 'date-holidays';
import { Temporal } from 'temporal-polyfill';
import * as z from 'zod';
import { DAY_MS, HOUR_MS } from '../units/durations.ts';
import { lazyIn } from '../units/lazy.ts';
import type { Grain, Window } from './window.ts';

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

/** Loaded on first use: few rules name a country, and the calendars are most of the code of a function. */
const calendars = (): typeof HolidayCalendar => createRequire(import.meta.url)('date-holidays');

/** Types of the calendars: days off for everybody, and also those on which banks and offices are closed. */
const PUBLIC = ['public'];
export const OFF = ['public', 'bank'];

/** Names of holidays by date, for each place, year and types. */
const known = new Map<string, Map<string, string>>();

/** The holiday on which `window` starts in the zone of the rule. `null` on other days, and for weeks and months. */
export function holidayIn(
  window: Window,
  rule: { holidays?: Holidays | undefined; zone: string; window: Grain },
): string | null {
  const { holidays, zone } = rule;
  if (!holidays || (rule.window !== 'hour' && rule.window !== 'day')) return null;
  const date = Temporal.Instant.fromEpochMilliseconds(window.startAt).toZonedDateTimeISO(zone).toPlainDate();
  return holidayOn(date, holidays);
}

/** The name of the holiday on `date`, or that the rule lists it. `null` on other days. */
export function holidayOn(date: Temporal.PlainDate, holidays: Holidays, types = PUBLIC): string | null {
  if (holidays.days.includes(date.toString())) return `${date.toString()}, a day the rule names`;
  return holidaysIn(date.year, holidays, types).get(date.toString()) ?? null;
}

/** The fault of an unknown country or region. */
export function holidayFault({ country, region }: Holidays): { path: string; message: string } | undefined {
  if (country === undefined) return undefined;
  const Calendar = calendars();
  const countries = new Calendar().getCountries();
  if (!Object.hasOwn(countries, country))
    return {
      path: 'country',
      message: `unknown country "${country}"; use a code of two letters whose public holidays are known, such as "DE"`,
    };
  const regions: Record<string, string> = new Calendar().getStates(country) ?? {};
  if (region === undefined || Object.hasOwn(regions, region)) return undefined;
  const accepted = Object.keys(regions).join(', ');
  return {
    path: 'region',
    message: `unknown region "${region}"; ${accepted === '' ? 'this country has none' : `accepted: ${accepted}`}`,
  };
}

/** The countries of zones, once looked up. */
const countries = new Map<string, string | undefined>();

/** The public holidays of the country that a zone belongs to; `undefined` for UTC. */
export function holidaysOfZone(zone: string): Holidays | undefined {
  if (zone === 'UTC') return undefined;
  const country = lazyIn(countries, zone, () => {
    // `Intl` lists zones by their usual names.
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions();
    const codes = Object.keys(new (calendars())().getCountries());
    return codes.find((code) => new Intl.Locale('und', { region: code }).getTimeZones()?.includes(timeZone));
  });
  return country === undefined ? undefined : { country, days: [] };
}

/** Each day of a holiday has a name of its own, because each has its own effect. */
function holidaysIn(year: number, { country, region }: Holidays, types: string[]): Map<string, string> {
  if (country === undefined) return new Map();
  return lazyIn(known, `${country}/${region ?? ''}/${year}/${types}`, () => {
    const Calendar = calendars();
    const calendar = region === undefined ? new Calendar(country) : new Calendar(country, region);
    const made = new Map<string, string>();
    for (const { date, start, end, name, type } of calendar.getHolidays(year)) {
      if (!types.includes(type)) continue;
      // A day may be an hour shorter. What is left of half a day is not one more.
      const days = Math.max(1, Math.floor((end.getTime() - start.getTime() + HOUR_MS) / DAY_MS));
      const first = Temporal.PlainDate.from(date.slice(0, 10));
      for (let i = 0; i < days; i++)
        made.set(first.add({ days: i }).toString(), i === 0 ? name : `${name}, day ${i + 1}`);
    }
    return made;
  });
}

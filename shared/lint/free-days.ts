import { Temporal } from 'temporal-polyfill';
import type { Rule } from '../rules/rule.ts';
import type { Holidays } from '../time/holiday-schema.ts';
import type { Remark } from './findings.ts';

/** `holidays` that are all in the past, or that have no country. */
export function freeDayRemarks({ holidays, zone }: Rule, now: number): Remark[] {
  if (!holidays || holidays.country !== undefined) return [];
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).toPlainDate().toString();
  const last = lastOf(holidays);
  if (last !== undefined && last < today)
    return [
      {
        code: 'holidays-past',
        path: ['holidays', 'days'],
        message: `all of these days are in the past, the last was ${last}; add future days or a "country"`,
      },
    ];
  return [
    {
      code: 'holidays-without-place',
      path: ['holidays'],
      message:
        'only the listed days are holidays; a "country", such as DE, adds its public holidays of every year',
    },
  ];
}

function lastOf({ days }: Holidays): string | undefined {
  return days.toSorted().at(-1);
}

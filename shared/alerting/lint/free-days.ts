import { Temporal } from 'temporal-polyfill';
import type { Rule } from '../rules/rule.ts';
import type { Holidays } from '../time/holiday-schema.ts';
import type { Remark } from './findings.ts';

/** Holidays that are over, or are of nowhere. */
export function freeDayRemarks({ holidays, zone }: Rule, now: number): Remark[] {
  if (!holidays || holidays.country !== undefined) return [];
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).toPlainDate().toString();
  const last = lastOf(holidays);
  if (last !== undefined && last < today)
    return [
      {
        code: 'holidays-past',
        path: ['holidays', 'days'],
        message: `the last of these days was ${last}; name those to come, or a "country" whose holidays are known`,
      },
    ];
  return [
    {
      code: 'holidays-without-place',
      path: ['holidays'],
      message:
        'only the days that are named are holidays; with a "country", such as DE, its public holidays of every year are',
    },
  ];
}

function lastOf({ days }: Holidays): string | undefined {
  return days.toSorted().at(-1);
}

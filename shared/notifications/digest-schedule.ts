import * as z from 'zod';
import { zone } from '../text/text-schemas.ts';
import { type Cadence, longestGapHours, nextRun, timeOfDay } from '../time/cadence.ts';
import { parseCadence } from '../time/parse-cadence.ts';
import type { Window } from '../time/window.ts';
import { DAY_MS } from '../units/durations.ts';
import { name } from './route-settings.ts';

/** The longest time between two digests: a month with a clock change. */
const LONGEST_DAYS = 32;

/** A digest that could not be sent is tried again for this long. */
const RETRIED_MS = DAY_MS;

export const digestSchema = z
  .strictObject({
    every: z
      .string('write a cadence such as "monday at 09:00"')
      .describe(
        'When it is sent: "monday at 09:00", "weekday at 09:00", "day at 09:00" or "month at 09:00".',
      ),
    zone: zone.default('UTC').describe('The IANA time zone of "every".'),
    channels: z.array(name).min(1).describe('These channels get the digest. A pager cannot.'),
  })
  .superRefine(({ every, zone: of }, context) => {
    const parsed = parseCadence(every, of);
    const message = parsed.kind === 'refused' ? parsed.reason : unfit(parsed.cadence);
    if (message !== undefined) context.addIssue({ code: 'custom', path: ['every'], message });
  })
  .describe('A regular message about the time since the one before: what fired, and what needs attention.');

export type DigestSettings = z.output<typeof digestSchema>;

function unfit(cadence: Cadence): string | undefined {
  if (timeOfDay(cadence) === undefined)
    return 'a digest is sent once a day at most; write a cadence such as "monday at 09:00" or "day at 09:00"';
  const hours = longestGapHours(cadence) ?? Infinity;
  return hours > LONGEST_DAYS * 24
    ? 'a digest is sent once a month at least; write a cadence such as "month at 09:00"'
    : undefined;
}

/** The span between the last two scheduled times at or before `now`: what the last digest is about. */
export function lastPeriod(settings: Pick<DigestSettings, 'every' | 'zone'>, now: number): Window {
  const cadence = cadenceOfDigest(settings);
  const runs: number[] = [];
  let run = nextRun(cadence, now - 2 * (LONGEST_DAYS + 1) * DAY_MS);
  for (; run <= now; run = nextRun(cadence, run)) runs.push(run);
  const [endAt = now, startAt = endAt - 7 * DAY_MS] = runs.toReversed();
  return { startAt, endAt };
}

/** The period of the digest to send; `undefined` a day after its time, or if its time is before `sinceAt`. */
export function duePeriod(settings: DigestSettings, now: number, sinceAt: number): Window | undefined {
  const period = lastPeriod(settings, now);
  return now - period.endAt < RETRIED_MS && period.endAt >= sinceAt ? period : undefined;
}

/** Until when the digest of `period`, once sent, is not due. No longer, as the next one may have another cadence. */
export function doneUntil(settings: DigestSettings, { endAt }: Window): number {
  return Math.min(nextRun(cadenceOfDigest(settings), endAt), endAt + RETRIED_MS);
}

/** Throws `TypeError` if `every` is invalid, which the schema refuses. */
function cadenceOfDigest({ every, zone: of }: Pick<DigestSettings, 'every' | 'zone'>): Cadence {
  const parsed = parseCadence(every, of);
  if (parsed.kind === 'refused') throw new TypeError(parsed.reason);
  return parsed.cadence;
}

import { sql } from 'kysely';
import * as z from 'zod';
import type { Apps } from '../../functions/data-access/apps/apps.ts';
import type { Row } from '../../functions/data-access/engines/engine.ts';
import { column, db } from '../../functions/data-access/engines/query.ts';
import type { Clock, Millis } from '../../shared/runtime/clock.ts';

/** From `uploadedAt` on, the newest event of an app is that of `recordedAt`. */
interface Step {
  readonly uploadedAt: Millis;
  readonly recordedAt: Millis;
}

/** The query of `newestEventCall`. Another request for events does not match. */
const querySchema = z.object({
  appid: z.string(),
  page: z.literal('1'),
  page_size: z.literal('1'),
  filters: z
    .string()
    .transform((text) => JSON.parse(text) as unknown)
    .pipe(
      z.tuple([
        z.strictObject({
          attribute: z.literal('date_range'),
          operator: z.literal('between_dates'),
          value: z.object({ lower: z.iso.datetime(), upper: z.iso.datetime() }),
        }),
      ]),
    ),
});

/**
 * Answers the request for the time of the newest event, which a replay sends at every run. The newest event changes only
 * with an upload, so all changes are read once. Returns undefined for all other requests, and if a device's clock was
 * ahead: the service then answers.
 */
export function newestEventsOf(
  apps: Apps,
  clock: Pick<Clock, 'now'>,
): (url: string) => Promise<Response | undefined> {
  const kept = new Map<string, Promise<readonly Step[] | undefined>>();
  return async (url) => {
    const { pathname, searchParams } = new URL(url);
    if (pathname !== '/v2/event') return undefined;
    const query = querySchema.safeParse(Object.fromEntries(searchParams));
    if (!query.success) return undefined;
    const { appid, filters } = query.data;
    const { lower, upper } = filters[0].value;
    const found = kept.get(appid) ?? stepsOf(apps, appid);
    kept.set(appid, found);
    const steps = await found;
    if (!steps) return undefined;
    const newest = lastBy(steps, clock.now());
    if (newest && newest.recordedAt >= Date.parse(upper)) return undefined;
    const isFound = newest && newest.recordedAt >= Date.parse(lower);
    const data = isFound ? [{ eventDate: new Date(newest.recordedAt).toISOString() }] : [];
    return Response.json({ success: true, data });
  };
}

/** Oldest first. Undefined if they cannot be read. */
async function stepsOf(apps: Apps, appId: string): Promise<readonly Step[] | undefined> {
  const answer = await apps
    .withApp({ appId, keyId: 'replay' }, ({ engine }) => engine.answer(STEPS))
    .catch(() => undefined);
  const toStep = ({ at, newest }: Row) => ({ uploadedAt: Number(at), recordedAt: Number(newest) });
  return answer?.answer.rows.map(toStep);
}

const uploads = db
  .selectFrom('events')
  .select([
    sql<number>`${column('uploaded_at')}`.as('at'),
    sql<number>`max(${column('recorded_at')})`.as('newest'),
  ])
  .groupBy('uploaded_at');

const STEPS = db
  .selectFrom(
    db
      .selectFrom(uploads.as('uploads'))
      .select([
        'at',
        'newest',
        sql<number | null>`max(${sql.ref('newest')}) over
          (order by ${sql.ref('at')} rows between unbounded preceding and 1 preceding)`.as('before'),
      ])
      .as('compared'),
  )
  .select(['at', 'newest'])
  .where(sql<boolean>`before is null or newest > before`)
  .orderBy('at');

function lastBy(steps: readonly Step[], now: Millis): Step | undefined {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((steps[middle]?.uploadedAt ?? Infinity) <= now) low = middle + 1;
    else high = middle;
  }
  return steps[low - 1];
}

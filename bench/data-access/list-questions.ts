import * as z from 'zod';
import { HOUR_MS } from '../../shared/units/durations.ts';
import { type AskSql, type Figures, get, lastDays, post, type Question } from './question.ts';

const month = lastDays(30);
const PAGE_SIZE = 50;
const USERS = 500;

const COLUMNS = `event_id, event_name, screen_name, session_id, user_id, recorded_at, properties, has_video, duration_sec,
  user_name, device_model, platform, user_properties`;
const NEWEST_FIRST = 'ORDER BY recorded_at DESC, event_id';
const COUNT = `SELECT count(*) FROM events WHERE ${month.sql}`;

/** PostgreSQL keeps session columns in their own table, so only the rows of the page are joined with it. */
const postgresPage = (page: number): string => `
  SELECT event_id, event_name, screen_name, session_id, e.user_id, e.recorded_at, properties, has_video, duration_sec,
    user_name, device_model, s.platform, user_properties
  FROM (
    SELECT * FROM events WHERE ${month.sql} ${NEWEST_FIRST} LIMIT ${PAGE_SIZE} OFFSET ${(page - 1) * PAGE_SIZE}
  ) AS e JOIN sessions AS s USING (session_id)
  ORDER BY e.recorded_at DESC, event_id`;

const clickHousePage = (page: number): string => `
  SELECT ${COLUMNS} FROM events WHERE ${month.sql} ${NEWEST_FIRST} LIMIT ${PAGE_SIZE} OFFSET ${(page - 1) * PAGE_SIZE}`;

function eventPage(page: number, duckdb: Question['duckdb']): Question {
  return {
    name: `event list, page ${page.toLocaleString('en')}`,
    kind: 'list',
    app: 'large',
    request: get('/event', { filters: [month.filter], page, page_size: PAGE_SIZE }),
    figures: ({ data, pagination }) => [[pagination.total], ...data.map(({ eventId }) => [eventId])],
    duckdb,
    peers: { postgres: [COUNT, postgresPage(page)], clickhouse: [COUNT, clickHousePage(page)] },
  };
}

async function firstPage(ask: AskSql): Promise<Figures> {
  const total = await ask(COUNT);
  return [
    ...total,
    ...(await ask(`SELECT ${COLUMNS} FROM events WHERE ${month.sql} ${NEWEST_FIRST} LIMIT ${PAGE_SIZE}`)),
  ];
}

const hoursSchema = z.array(z.tuple([z.coerce.number(), z.coerce.number()]));

/** Hourly counts give the total and the hours of the page, so that only these hours are sorted. */
const laterPage =
  (page: number) =>
  async (ask: AskSql): Promise<Figures> => {
    const hours = hoursSchema.parse(
      await ask(`
      SELECT recorded_at - recorded_at % ${HOUR_MS} AS hour, count(*) FROM events WHERE ${month.sql}
      GROUP BY hour ORDER BY hour DESC`),
    );
    const total = hours.reduce((sum, [, count]) => sum + count, 0);
    const place = hoursAround(hours, (page - 1) * PAGE_SIZE);
    if (place === undefined) return [[total]];
    const rows = await ask(`
    SELECT ${COLUMNS} FROM events
    WHERE ${month.sql} AND recorded_at >= ${place.from} AND recorded_at < ${place.to}
    ${NEWEST_FIRST} LIMIT ${PAGE_SIZE} OFFSET ${place.offset}`);
    return [[total], ...rows];
  };

/** The hours that contain the page after `skip` rows; `undefined` if there are fewer rows. `hours` are newest first. */
function hoursAround(hours: z.output<typeof hoursSchema>, skip: number) {
  let newer = 0;
  let place: { from: number; to: number; offset: number } | undefined;
  for (const [hour, count] of hours) {
    newer += count;
    if (newer <= skip) continue;
    place = { to: hour + HOUR_MS, offset: skip - (newer - count), ...place, from: hour };
    if (newer >= skip + PAGE_SIZE) break;
  }
  return place;
}

/** Selects the users of the page first, and then aggregates only their sessions. */
const userPage = (latestName: string, latestPlatform: string): string => `
  WITH page AS (
    SELECT user_id, max(recorded_at) AS last_seen FROM sessions WHERE ${month.sql}
    GROUP BY user_id ORDER BY last_seen DESC, user_id LIMIT ${USERS}
  )
  SELECT user_id, ${sums(`FILTER (WHERE recorded_at >= ${month.from})`)}, ${sums('')}, min(recorded_at),
    max(recorded_at) AS last_seen, ${latestName}, ${latestPlatform}
  FROM sessions WHERE user_id IN (SELECT user_id FROM page) AND uploaded_at <= ${month.now}
  GROUP BY user_id ORDER BY last_seen DESC, user_id`;

const sums = (filter: string): string =>
  [
    `count(*) ${filter}`,
    ...[
      'duration_sec',
      'event_count',
      'screen_count',
      'gesture_count',
      'rage_gesture_count',
      'responsive_gesture_count',
      'unresponsive_gesture_count',
    ].map((column) => `sum(${column}) ${filter}`),
  ].join(', ');

const arrayLatest = (column: string): string => `(array_agg(${column} ORDER BY recorded_at DESC))[1]`;
const usageSchema = z.object({
  totalSession: z.number(),
  totalSessionTime: z.number(),
  eventCount: z.number(),
});

const users: Question = {
  name: 'user list, page 1',
  kind: 'list',
  app: 'large',
  request: post('/user', { filters: [month.filter], page_size: USERS }),
  figures: ({ data }) =>
    data.map(({ svcUserId, usage }) => {
      const { totalSession, totalSessionTime, eventCount } = usageSchema.parse(usage);
      return [svcUserId, totalSession, totalSessionTime, eventCount];
    }),
  duckdb: (ask) => ask(userPage('arg_max(user_name, recorded_at)', 'arg_max(platform, recorded_at)')),
  peers: {
    postgres: [userPage(arrayLatest('user_name'), arrayLatest('platform'))],
    clickhouse: [userPage('argMax(user_name, recorded_at)', 'argMax(platform, recorded_at)')],
  },
};

export const LISTS: readonly Question[] = [users, eventPage(1, firstPage), eventPage(1000, laterPage(1000))];

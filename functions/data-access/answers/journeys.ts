import type { Metric } from '../../../shared/contract/aggregations.ts';
import { ATTRIBUTES } from '../../../shared/contract/attributes.ts';
import { groupKey } from '../../../shared/contract/grouping.ts';
import {
  type FunnelRequest,
  type JourneyRow,
  type RetentionRequest,
  stepKey,
} from '../../../shared/contract/journeys.ts';
import type { Millis } from '../../../shared/runtime/clock.ts';
import { MINUTE_MS } from '../../../shared/units/durations.ts';
import { funnelUsers, retainedUsers } from '../queries/journeys.ts';
import type { Question, ToQuery } from '../queries/question.ts';
import { dayStart, unitAround, zonedTime } from '../time/calendar.ts';
import { windowOf } from '../time/windows.ts';
import { paged } from './analytics.ts';
import { analyticsRows } from './analytics-rows.ts';
import { type Answer, type Call, queryRunner } from './read-context.ts';

/** The users of each step of a funnel. */
export async function analyzeFunnel(request: FunnelRequest, call: Call): Promise<Answer> {
  const { steps, within_minutes: minutes } = request;
  const keys = steps.map((_, at) => stepKey(at + 1));
  const question = questionOf(request, keys, call);
  for (const [at, { filters }] of steps.entries())
    windowOf(filters, question.zone, call.now, ['steps', at, 'filters']);
  const toQuery = (asked: Events) => funnelUsers(request, asked);
  const rows = await rowsOf(question, call, toQuery, (users, end) => {
    const shares = users.slice(1).map((count, at) => [`${keys[at + 1]}_share`, share(count, users[at])]);
    return {
      ...Object.fromEntries([...keys.map((key, at) => [key, users[at]]), ...shares]),
      conversion: share(users.at(-1), users[0]),
      complete: end + minutes * MINUTE_MS <= call.now,
    };
  });
  return paged(rows, request);
}

/** The users of each cohort, and how many of them are back on each day. */
export async function analyzeRetention(request: RetentionRequest, call: Call): Promise<Answer> {
  const { days } = request;
  const question = questionOf(request, ['users', ...days.map((day) => `day_${day}`)], call);
  const { span, zone } = question;
  for (const place of ['start', 'return'] as const)
    windowOf(request[place].filters, zone, call.now, [place, 'filters']);
  const until = endOfDay(span.to, Math.max(...days), zone);
  const toQuery = (asked: Events) => retainedUsers(request, asked, until);
  const rows = await rowsOf(question, call, toQuery, ([users = 0, ...back], end) => {
    const ended = (day: number) => endOfDay(end, day, zone) <= call.now;
    const figures = days.flatMap((day, at): [string, number | null][] => [
      [`day_${day}`, ended(day) ? (back[at] ?? 0) : null],
      [`day_${day}_share`, ended(day) ? share(back[at], users) : null],
    ]);
    return { users, ...Object.fromEntries(figures), complete: days.every(ended) };
  });
  return paged(rows, request);
}

type Events = Question<'event'>;

/** The keys stand for the metrics of the rows: the users of each step or day. */
function questionOf(request: FunnelRequest | RetentionRequest, keys: string[], call: Call): Events {
  const { filters, group_by: groups } = request;
  const { zone } = call.app.settings;
  const { span } = windowOf(filters, zone, call.now);
  const count = { kind: 'count', count: 'event_unique_user_count' } as const;
  const metrics = keys.map((key): Metric<'event'> => ({ ...count, key }));
  return { resource: 'event', filters, groups, metrics, zone, now: call.now, span };
}

type Figures = (counts: readonly number[], end: Millis) => JourneyRow;

/** Each row has the figures of its counts, and of the time at which the last of its users can have entered. */
async function rowsOf(question: Events, call: Call, toQuery: ToQuery<'event'>, figures: Figures) {
  const { groups, metrics, span, zone } = question;
  const rows = await analyticsRows({ runQuery: queryRunner(call), toQuery, hours: undefined }, question);
  return rows.map((row): JourneyRow => {
    const named = groups.map((group) => [groupKey(group), row[groupKey(group)]]);
    const ends = groups.flatMap(({ attribute }) => {
      const { unit } = ATTRIBUTES[attribute];
      return unit ? unitAround(String(row[attribute]), unit, zone).to : [];
    });
    const counts = metrics.map(({ key }) => Number(row[key]));
    return { ...Object.fromEntries(named), ...figures(counts, Math.min(span.to, ...ends)) };
  });
}

/** Null if nobody could. */
const share = (part = 0, whole = 0): number | null => (whole === 0 ? null : part / whole);

/** The end of the day that is `days` after the last one before `end`. */
function endOfDay(end: Millis, days: number, zone: string): Millis {
  const last = zonedTime(end - 1, zone).toPlainDate();
  return dayStart(last.add({ days: days + 1 }), zone);
}

import type { TablePart } from '../engines/compiler.ts';
import { cell, eventCell, isOfDays } from './cells.ts';
import { derivedSessions, type Events, enteredFrom } from './derived-sessions.ts';
import { nearPartitions } from './partitions.ts';

interface Sessions {
  /** A SELECT of the sessions, if there is a table of them. */
  readonly given: string | undefined;
  /** The columns of a derived session. Unused if `given` is set. */
  readonly derived: TablePart;
}

/**
 * Screen visits, by the definitions of `local/data/import/derive-sessions.ts`: a screen ends when the next begins or the
 * session ends. `expressions` stand before the query that reads `rows`.
 */
export function derivedVisits(of: Events, part: TablePart, sessions: Sessions) {
  const expressions = sessions.given
    ? [
        `_placed as (${givenPlaces(of, part.days)})`,
        `_entered as (${enteredFrom(of)})`,
        `_sessions as (${sessions.given})`,
      ].join(', ')
    : derivedSessions(of, sessions.derived);
  const visits = `${sessions.given ? `with ${expressions} ` : ''}${visitsSql(of)}`;
  return { expressions, rows: visits };
}

function givenPlaces({ events, dialect }: Events, days: TablePart['days']): string {
  const names = ['event_id', 'user_id', 'screen_name', 'recorded_at'];
  const session = cell('session_id', events, dialect);
  const columns = names.map((name) => `${eventCell(name, events, dialect)} as ${name}`);
  const where = days
    ? ` where ${session} in (select ${session} from ${events.from} where ${isOfDays(days, events, dialect)}) and ${nearPartitions(days, events, dialect)}`
    : '';
  return `select ${columns.join(', ')}, ${session} as session_id, 0 as is_described from ${events.from}${where}`;
}

function visitsSql({ dialect }: Events): string {
  const ofSession = `over (partition by event.session_id order by event.recorded_at, ${dialect.byCharacter('event_id')})`;
  const ends = 'session.recorded_at + cast(round(session.duration_sec * 1000) as bigint)';
  return `select session_id, user_id, screen_name, recorded_at, uploaded_at,
      cast(coalesce(next_at, ends_at) - recorded_at as ${dialect.doubleType}) / 1000 as time_on_screen_sec,
      case when is_entry and next_at is null then rage_gesture_count end as visit_rage_gesture_count,
      is_entry, next_at is null as is_exit, is_entry and next_at is null as is_bounce
    from (select event.session_id, event.user_id, event.screen_name, event.recorded_at, session.uploaded_at,
        session.rage_gesture_count, ${ends} as ends_at, lead(event.recorded_at) ${ofSession} as next_at,
        row_number() ${ofSession} = 1 as is_entry
      from _entered as event join _sessions as session on session.session_id = event.session_id
      where event.enters = 1) as visit`;
}

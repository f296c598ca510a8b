import type { TablePart } from '../engines/compiler.ts';
import { quotedName, type TableDialect } from '../engines/table-sql.ts';
import { cell } from './cells.ts';
import type { CheckedTable } from './checked-tables.ts';

/** The columns that repeat the first session of the user, and their values in it. */
export const FIRSTS: Readonly<Record<string, (dialect: TableDialect) => string>> = {
  first_utm: () => 'utm',
  first_referer: () => 'referer',
  first_referer_domain: () => 'referer_domain',
  first_screen_name: ({ firstOf }) => firstOf('screens'),
  first_landing_page: () => 'landing_page',
};

/** Whether a column of a session depends on the other sessions of its user. */
export const isOfHistory = (name: string): boolean => name === 'session_number' || name in FIRSTS;

/** The part without the columns that the table of users has. */
export function withoutUsers<Part extends TablePart>(part: Part, users: CheckedTable | undefined): Part {
  return { ...part, columns: new Set([...part.columns].filter((name) => !isOfUsers(name, users))) };
}

const isOfUsers = (name: string, users: CheckedTable | undefined): boolean =>
  name !== 'user_id' && users?.columns.has(name) === true;

/** Sessions with columns of their users. `rows` stands after `from`, as `session`. */
export function sessionsWithUsers(
  rows: string,
  names: readonly string[],
  { users, dialect }: { users: CheckedTable | undefined; dialect: TableDialect },
): string {
  const ofUsers = names.filter((name) => isOfUsers(name, users));
  const list = names
    .map(
      (name) => `${ofUsers.includes(name) ? 'person' : 'session'}.${quotedName(name)} as ${quotedName(name)}`,
    )
    .join(', ');
  if (!users || ofUsers.length === 0) return `select ${list} from ${rows}`;
  const id = cell('user_id', users, dialect);
  // A user with two rows must not double the sessions.
  const columns = ofUsers.map(
    (name) => `${maximum(name, cell(name, users, dialect), dialect)} as ${quotedName(name)}`,
  );
  return `select ${list} from ${rows}
    left join (select ${id} as user_id, ${columns.join(', ')} from ${users.from} group by ${id}) as person
      on person.user_id = session.user_id`;
}

/** The maximum of a column, whose `value` is only compared `where` this holds. JSON has no maximum. */
export function maximum(name: string, value: string, dialect: TableDialect, where?: string): string {
  const isJson = name === 'user_properties';
  const compared = isJson ? `cast(${value} as ${dialect.textType})` : value;
  const most = `max(${where === undefined ? compared : `case when ${where} then ${compared} end`})`;
  return isJson ? dialect.json({ sql: most, kind: 'text' }) : most;
}

import * as z from 'zod';
import type { AuditLog } from '../../../shared/alerts/audit.ts';
import type { NoteStore } from '../../../shared/alerts/note.ts';
import type { ReadingStore } from '../../../shared/readings/snapshots.ts';
import type { StatusStores } from '../../../shared/responding/alert-status.ts';
import type { AnsweringDeps } from '../../../shared/responding/give-answer.ts';
import { SEVERITIES } from '../../../shared/rules/rule-schema.ts';
import type { Clock } from '../../../shared/runtime/clock.ts';
import { Problem, type ProblemStatus } from './problem.ts';
import { cursorOf, type Place, placeIn } from './schemas.ts';

export const API_PATH = '/api/v1';

export interface EndpointDeps extends StatusStores, AnsweringDeps {
  notes: NoteStore;
  audit: AuditLog;
  readings: Pick<ReadingStore, 'load'>;
  publicUrl: string;
  newId: () => string;
  clock: Clock;
}

/** A request whose token may make it. */
interface Asked<Query, Body> {
  query: Query;
  body: Body;
  /** That of the path. */
  id: string;
  /** The name of the token, the author of what it does. */
  by: string;
  /** Identifies the request, so that sending it twice counts once. */
  once: string | undefined;
}

/** One endpoint: what its route, its checks and its description are made from. */
export interface Endpoint {
  /** All but `get` need the scope `answer`. */
  method: 'get' | 'post' | 'delete';
  /** With `{id}` for the id of an alert or a silence. */
  path: string;
  name: string;
  summary: string;
  query: z.ZodObject;
  body?: z.ZodType;
  answer: { name: string; schema: z.ZodType };
  /** The problems that it has besides those of all such endpoints. */
  problems?: ProblemStatus[];
  run(asked: Asked<unknown, unknown>, deps: EndpointDeps): Promise<unknown>;
}

const NOTHING = z.strictObject({});

/** Checks what was asked before `run`, which gets the parsed form. */
export function endpoint<
  Answer extends z.ZodType,
  Query extends z.ZodObject = typeof NOTHING,
  Body extends z.ZodType = typeof NOTHING,
>(
  given: Pick<Endpoint, 'path' | 'name' | 'summary' | 'problems'> & {
    /** By default `post` with a body, and `get` without. */
    method?: 'delete';
    query?: Query;
    body?: Body;
    answer: { name: string; schema: Answer };
    run: (asked: Asked<z.output<Query>, z.output<Body>>, deps: EndpointDeps) => Promise<z.input<Answer>>;
  },
): Endpoint {
  const { query = NOTHING as unknown as Query, body, run } = given;
  return {
    ...{ method: body ? 'post' : 'get', ...given, query },
    run: (asked, deps) =>
      run({ ...asked, query: parsed(query, asked.query), body: parsed(body ?? z.any(), asked.body) }, deps),
  };
}

export function parsed<T extends z.ZodType>(schema: T, given: unknown): z.output<T> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const issues = result.error.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean));
  throw new Problem(400, issues.map((each) => each.join(': ')).join('; '));
}

/** A text of a filter; nothing if it is empty. */
export const word = z
  .string()
  .max(300)
  .transform((text) => text.trim() || undefined)
  .optional();

export const about = { app: word, owner: word, severity: z.enum(SEVERITIES).optional() };

/** The page of a list whose rows are at places of this form. */
export const paging = <P extends z.ZodType<Place>>(form: P) => ({
  limit: z.coerce.number().int().min(1).max(100).default(50).describe('Rows of a page.'),
  cursor: placeIn(form).optional().describe('The nextCursor of the page before.'),
});

/** The rows after the cursor, in the order of their places. */
export function pageOf<T, P extends Place>(
  items: T[],
  placeOf: (item: T) => P,
  { limit, cursor }: { limit: number; cursor?: P | undefined },
): { data: T[]; nextCursor: string | null } {
  const left = items
    .filter((item) => cursor === undefined || byPlace(placeOf(item), cursor) > 0)
    .toSorted((a, b) => byPlace(placeOf(a), placeOf(b)));
  const data = left.slice(0, limit);
  const last = data.at(-1);
  return { data, nextCursor: last && left.length > limit ? cursorOf(placeOf(last)) : null };
}

function byPlace(a: Place, b: Place): number {
  const at = a.findIndex((part, i) => part !== b[i]);
  if (at < 0) return 0;
  const [x = null, y = null] = [a[at], b[at]];
  return x === null || (y !== null && x < y) ? -1 : 1;
}

import * as z from 'zod';
import { type AlertKey, ANSWER_NAMES } from '../../../shared/alerts/alert.ts';
import { reasonSchema } from '../../../shared/alerts/author.ts';
import { type NoteStore, noteTextSchema } from '../../../shared/alerts/note.ts';
import {
  failingRulesIn,
  loadListed,
  loadStatus,
  type Status,
  type StatusStores,
  unreadIn,
} from '../../../shared/responding/alert-status.ts';
import {
  type AnsweringDeps,
  giveAnswer,
  loadAnswerable,
  outcomeText,
} from '../../../shared/responding/give-answer.ts';
import type { Rule } from '../../../shared/rules/rule.ts';
import { SEVERITIES } from '../../../shared/rules/rule-schema.ts';
import type { Clock } from '../../../shared/runtime/clock.ts';
import {
  addSilence,
  holdsNow,
  LONGEST_SILENCE_DAYS,
  silenceFormSchema,
} from '../../../shared/silences/silence.ts';
import { iso } from '../../../shared/time/iso.ts';
import { alertFilters, listedIn, STATES } from '../page/alerts-view.ts';
import { aboutFilters, passing } from '../page/filters.ts';
import { Problem, type ProblemStatus } from './problem.ts';
import { alertDetail, alertId, alertKeyOf, alertRecord, byKey, ruleRecord } from './records.ts';
import { alertDetailSchema, alertPageSchema, rulePageSchema } from './schemas.ts';

export const API_PATH = '/api/v1';

export interface EndpointDeps extends StatusStores, AnsweringDeps {
  notes: Pick<NoteStore, 'save'>;
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
  method: 'get' | 'post';
  /** With `{id}` for the id of an alert. */
  path: string;
  name: string;
  summary: string;
  query: z.ZodObject;
  body?: z.ZodType;
  answer: { name: string; schema: z.ZodType };
  /** The problems that it has besides those of all endpoints. */
  problems: ProblemStatus[];
  run(asked: Asked<unknown, unknown>, deps: EndpointDeps): Promise<unknown>;
}

const NOTHING = z.strictObject({});

/** Checks what was asked before `run`, which gets the parsed form. With a body, it needs the scope `answer`. */
function endpoint<
  Answer extends z.ZodType,
  Query extends z.ZodObject = typeof NOTHING,
  Body extends z.ZodType = typeof NOTHING,
>(
  given: Pick<Endpoint, 'path' | 'name' | 'summary' | 'problems'> & {
    query?: Query;
    body?: Body;
    answer: { name: string; schema: Answer };
    run: (asked: Asked<z.output<Query>, z.output<Body>>, deps: EndpointDeps) => Promise<z.input<Answer>>;
  },
): Endpoint {
  const { query = NOTHING as unknown as Query, body, run } = given;
  return {
    ...{ ...given, method: body ? 'post' : 'get', query },
    run: (asked, deps) =>
      run({ ...asked, query: parsed(query, asked.query), body: parsed(body ?? z.any(), asked.body) }, deps),
  };
}

function parsed<T extends z.ZodType>(schema: T, given: unknown): z.output<T> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const issues = result.error.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean));
  throw new Problem(400, issues.map((each) => each.join(': ')).join('; '));
}

const MOST_ROWS = 100;
const MOST_HOURS = LONGEST_SILENCE_DAYS * 24;

const word = z
  .string()
  .max(300)
  .transform((text) => text.trim() || undefined)
  .optional();
const paging = {
  limit: z.coerce.number().int().min(1).max(MOST_ROWS).default(50).describe('Rows of a page.'),
  cursor: z
    .string()
    .transform((text, { addIssue }) => {
      const key = alertKeyOf(text);
      if (!key) addIssue('is not a nextCursor of an answer');
      return key ?? z.NEVER;
    })
    .optional()
    .describe('The nextCursor of the page before.'),
};
const about = { app: word, owner: word, severity: z.enum(SEVERITIES).optional() };

export const ENDPOINTS: Endpoint[] = [
  endpoint({
    ...{ path: '/alerts', name: 'listAlerts', problems: [400] },
    summary:
      'The firing, recovering, pending and flapping alerts, in the order of their rules and segments. An alert that is open from the first page to the last is on exactly one of them.',
    query: z.strictObject({
      q: word.describe('Words that each occur in the title, id, app, owner or segment.'),
      ...about,
      state: z.enum(STATES).optional(),
      ack: z.enum(['yes', 'no']).optional().describe('Whether it is acknowledged.'),
      ...paging,
    }),
    answer: { name: 'AlertPage', schema: alertPageSchema },
    async run({ query: { limit, cursor, ...chosen } }, deps) {
      const now = deps.clock.now();
      const status = await loadStatus(deps, now);
      const passed = passing(listedIn(status), chosen, alertFilters(status));
      const page = pageOf(passed, ({ alert }) => alert, { limit, cursor });
      const watched = await loadListed(page.rows, deps.alerts);
      const seen = { silences: status.silences, now, publicUrl: deps.publicUrl };
      const data = watched.map((each) => alertRecord(each, seen));
      return { data, nextCursor: page.nextCursor, unreadable: unreadableIn(status) };
    },
  }),
  endpoint({
    ...{ path: '/alerts/{id}', name: 'getAlert', problems: [404] },
    summary: 'One alert with its figures, gates and history, whether it is open or not.',
    answer: { name: 'AlertDetail', schema: alertDetailSchema },
    run: ({ id }, deps) => loadDetail(id, deps),
  }),
  endpoint({
    ...{ path: '/rules', name: 'listRules', problems: [400] },
    summary: 'The deployed rules with their health, in the order of their ids.',
    query: z.strictObject({ ...about, ...paging }),
    answer: { name: 'RulePage', schema: rulePageSchema },
    async run({ query: { limit, cursor, ...chosen } }, deps) {
      const status = await loadStatus(deps, deps.clock.now());
      const failing = new Map(failingRulesIn(status).map((each) => [each.rule.id, each]));
      const filters = aboutFilters(status.rules, (rule: Rule) => rule);
      const passed = passing(status.rules, chosen, filters);
      const { rows, nextCursor } = pageOf(passed, wholeOf, { limit, cursor });
      const data = rows.map((rule) => ruleRecord(rule, failing.get(rule.id), deps.publicUrl));
      return { data, nextCursor, unreadable: unreadableIn(status) };
    },
  }),
  endpoint({
    ...{ path: '/alerts/{id}/answers', name: 'answerAlert', problems: [400, 403, 404, 409, 413] },
    summary: 'Answers a firing alert, under the name of the token. With an Idempotency-Key it counts once.',
    body: z.strictObject({
      answer: z.enum(ANSWER_NAMES),
      reason: reasonSchema,
      firedAt: z.iso.datetime().optional().describe('That of the alert; 409 if it has fired again since.'),
    }),
    answer: { name: 'AlertDetail', schema: alertDetailSchema },
    async run({ id, by, once, body: { answer, reason, firedAt } }, deps) {
      const key = keyAt(id);
      const firedWindowEndAt = firedAt === undefined ? undefined : Date.parse(firedAt);
      const given = { key, answer, firedWindowEndAt, link: null, form: once && `${once}/${answer}` };
      const outcome = await giveAnswer(given, { by, reason }, deps);
      if (outcome.kind === 'refused') {
        const isGone = outcome.refusal.code === 'no-such-alert';
        throw new Problem(isGone ? 404 : 409, outcomeText(outcome, 'UTC'));
      }
      return loadDetail(id, deps);
    },
  }),
  endpoint({
    ...{ path: '/silences', name: 'addSilence', problems: [400, 403, 413] },
    summary:
      'Holds back all messages of matching alerts, from now on. In all but the segment, * matches any text.',
    body: z.strictObject({
      ...{ app: word, rule: word, owner: word, severity: word },
      segment: z.string().optional(),
      hours: z.number().positive().max(MOST_HOURS),
      reason: reasonSchema,
    }),
    answer: { name: 'Silence', schema: z.object({ id: z.string(), until: z.iso.datetime() }) },
    async run({ by, body: { segment, reason, ...form } }, deps) {
      const asked = { ...form, ...(segment !== undefined && { segment_is: segment }) };
      const { match, lengthMs } = parsed(silenceFormSchema, asked);
      const now = deps.clock.now();
      const silence = { id: deps.newId(), match, untilAt: now + lengthMs };
      const added = await addSilence(silence, { by, reason }, now, deps.silences);
      return { id: added.id, until: iso(added.untilAt) };
    },
  }),
  endpoint({
    ...{ path: '/notes', name: 'addNote', problems: [400, 403, 413] },
    summary: 'Adds a note, such as a release, to the charts of an app or, without one, of all.',
    body: z.strictObject({ text: noteTextSchema, app: word }),
    answer: { name: 'Note', schema: z.object({ id: z.string() }) },
    async run({ by, body: { text, app = null } }, deps) {
      const note = { id: deps.newId(), text, app, at: deps.clock.now(), by };
      await deps.notes.save(note);
      return { id: note.id };
    },
  }),
];

const wholeOf = ({ id }: { id: string }): AlertKey => ({ ruleId: id, segment: null });

function keyAt(id: string): AlertKey {
  const key = alertKeyOf(id);
  if (!key) throw new Problem(404, 'this is not the id of an alert');
  return key;
}

async function loadDetail(id: string, { publicUrl, ...deps }: EndpointDeps) {
  const [found, silences] = await Promise.all([loadAnswerable(keyAt(id), deps), deps.silences.loadAll()]);
  if (!found) throw new Problem(404, 'there is no such alert');
  const now = deps.clock.now();
  return alertDetail(found, { silences: silences.filter((each) => holdsNow(each, now)), now, publicUrl });
}

/** The rows after the cursor, in an order that no change of an alert changes. */
function pageOf<T>(
  items: T[],
  keyOf: (item: T) => AlertKey,
  { limit, cursor }: { limit: number; cursor?: AlertKey | undefined },
): { rows: T[]; nextCursor: string | null } {
  const left = items
    .filter((item) => cursor === undefined || byKey(keyOf(item), cursor) > 0)
    .toSorted((a, b) => byKey(keyOf(a), keyOf(b)));
  const rows = left.slice(0, limit);
  const last = rows.at(-1);
  return { rows, nextCursor: last && left.length > limit ? alertId(keyOf(last)) : null };
}

function unreadableIn(status: Status): AlertKey[] {
  const alerts = status.unread.map(({ ruleId, segment }) => ({ ruleId, segment }));
  return [...alerts, ...unreadIn(status).map((id) => wholeOf({ id }))];
}

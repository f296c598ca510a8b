import * as z from 'zod';
import { type AlertKey, ANSWER_NAMES } from '../../../shared/alerts/alert.ts';
import { auditEntrySchema } from '../../../shared/alerts/audit.ts';
import { reasonSchema } from '../../../shared/alerts/author.ts';
import { noteTextSchema } from '../../../shared/alerts/note.ts';
import { seriesQuerySchema, seriesSchema } from '../../../shared/messages/chart-series.ts';
import {
  failingRulesIn,
  listedIn,
  loadListed,
  loadStatus,
  type Status,
  unreadIn,
} from '../../../shared/responding/alert-status.ts';
import { giveAnswer, loadAnswerable, outcomeText } from '../../../shared/responding/give-answer.ts';
import { addSilence, endSilence } from '../../../shared/responding/silencing.ts';
import type { Rule } from '../../../shared/rules/rule.ts';
import { holdsNow, LONGEST_SILENCE_DAYS } from '../../../shared/silences/silence.ts';
import { iso } from '../../../shared/time/iso.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { alertFilters, STATES } from '../page/alerts-view.ts';
import { auditFilters } from '../page/audit-view.ts';
import { aboutFilters, passing } from '../page/filters.ts';
import { incidentsOfRules, isAboutApp, loadTimeline, type RuleIncident } from '../page/timeline-view.ts';
import { loadSeries } from '../series.ts';
import { about, type Endpoint, type EndpointDeps, endpoint, pageOf, paging, word } from './endpoint.ts';
import { Problem } from './problem.ts';
import * as records from './records.ts';
import * as schemas from './schemas.ts';

const NARROW = /[^\s*]/;
const condition = z.string().max(300).trim().regex(NARROW, 'give more than "*"').optional();
const MOST_HOURS = LONGEST_SILENCE_DAYS * 24;
const conditions = { app: condition, rule: condition, owner: condition, severity: condition };

/** Entries of the audit log that one request looks at. */
const MOST_ENTRIES = 1000;

export const ENDPOINTS: Endpoint[] = [
  endpoint({
    ...{ path: '/alerts', name: 'listAlerts' },
    summary:
      'The firing, recovering, pending and flapping alerts, in the order of their rules and segments. An alert that is open from the first page to the last is on exactly one of them.',
    query: z.strictObject({
      q: word.describe('Words that each occur in the title, id, app, owner or segment.'),
      ...about,
      state: z.enum(STATES).optional(),
      ack: z.enum(['yes', 'no']).optional().describe('Whether it is acknowledged.'),
      ...paging(schemas.alertPlaceSchema),
    }),
    answer: { name: 'AlertPage', schema: schemas.alertPageSchema },
    async run({ query: { limit, cursor, ...chosen } }, deps) {
      const now = deps.clock.now();
      const status = await loadStatus(deps, now);
      const passed = passing(listedIn(status), chosen, alertFilters(status));
      const page = pageOf(passed, ({ alert }) => records.placeOf(alert), { limit, cursor });
      const watched = await loadListed(page.data, deps.alerts);
      const seen = { silences: status.silences, now, publicUrl: deps.publicUrl };
      const data = watched.map((each) => records.alertRecord(each, seen));
      return { data, nextCursor: page.nextCursor, unreadable: unreadableIn(status) };
    },
  }),
  endpoint({
    ...{ path: '/alerts/{id}', name: 'getAlert', problems: [404] },
    summary: 'One alert with its figures, gates and history, whether it is open or not.',
    answer: { name: 'AlertDetail', schema: schemas.alertDetailSchema },
    run: ({ id }, deps) => loadDetail(id, deps),
  }),
  endpoint({
    ...{ path: '/rules', name: 'listRules' },
    summary: 'The deployed rules with their health, in the order of their ids.',
    query: z.strictObject({ ...about, ...paging(z.tuple([z.string()])) }),
    answer: { name: 'RulePage', schema: schemas.rulePageSchema },
    async run({ query: { limit, cursor, ...chosen } }, deps) {
      const status = await loadStatus(deps, deps.clock.now());
      const failing = new Map(failingRulesIn(status).map((each) => [each.rule.id, each]));
      const filters = aboutFilters(status.rules, (rule: Rule) => rule);
      const passed = passing(status.rules, chosen, filters);
      const { data: rows, nextCursor } = pageOf(passed, ({ id }) => [id], { limit, cursor });
      const data = rows.map((rule) => records.ruleRecord(rule, failing.get(rule.id), deps.publicUrl));
      return { data, nextCursor, unreadable: unreadableIn(status) };
    },
  }),
  endpoint({
    ...{ path: '/rules/{id}/series', name: 'getSeries', problems: [404] },
    summary: 'The values of a rule or of its segments by window, with what was expected and what breached.',
    query: seriesQuerySchema,
    answer: { name: 'Series', schema: seriesSchema },
    async run({ id, query }, deps) {
      const answer = await loadSeries(id, query, deps.clock.now(), deps);
      if ('why' in answer) throw new Problem(answer.status, answer.why);
      return answer;
    },
  }),
  endpoint({
    ...{ path: '/timeline', name: 'listTimeline' },
    summary: 'Incidents of deployed rules and notes, newest first. Only the app filters notes.',
    query: z.strictObject({ ...about, ...paging(z.tuple([z.number(), z.string(), z.string()])) }),
    answer: { name: 'TimelinePage', schema: schemas.timelinePageSchema },
    async run({ query: { limit, cursor, ...chosen } }, deps) {
      const now = deps.clock.now();
      const { incidents, notes, ...found } = await loadTimeline(deps, now);
      const filters = aboutFilters(found.rules, ({ rule }: RuleIncident) => rule);
      const passed = passing(incidentsOfRules(incidents, found.byId, now), chosen, filters);
      const entries = [
        ...passed.map((each) => records.incidentRecord(each, deps.publicUrl)),
        ...notes.filter(isAboutApp(chosen.app)).map(records.noteRecord),
      ];
      const page = pageOf(entries, ({ at, kind, id }) => [-Date.parse(at), kind, id], { limit, cursor });
      return { ...page, unreadable: unreadableIn(found) };
    },
  }),
  endpoint({
    ...{ path: '/silences', name: 'listSilences' },
    summary: 'Active and scheduled silences, and those that ended in the last days, newest first.',
    query: z.strictObject(paging(z.tuple([z.number(), z.string()]))),
    answer: { name: 'SilencePage', schema: schemas.silencePageSchema },
    async run({ query }, deps) {
      const now = deps.clock.now();
      const all = (await deps.silences.loadAll()).map((each) => records.silenceRecord(each, now));
      return pageOf(all, ({ at, id }) => [-Date.parse(at), id], query);
    },
  }),
  endpoint({
    ...{ path: '/audit', name: 'listAudit', problems: [403] },
    summary:
      'Who did what, and how, newest first. A page may have fewer rows than its limit before the last one.',
    query: z.strictObject({
      ...{ by: word, app: word, kind: auditEntrySchema.shape.kind.optional() },
      from: z.iso.datetime({ offset: true }).optional().describe('The earliest time.'),
      ...paging(z.tuple([z.string().max(100)])),
    }),
    answer: { name: 'AuditPage', schema: schemas.auditPageSchema },
    async run({ query: { limit, cursor, from, ...chosen } }, { audit }) {
      const fromAt = from === undefined ? 0 : Date.parse(from);
      const entries = await audit.load({ fromAt, before: cursor?.[0], atMost: MOST_ENTRIES });
      const passed = passing(entries, chosen, auditFilters(entries));
      const rows = passed.slice(0, limit);
      const last = passed.length > limit ? rows.at(-1) : entries[MOST_ENTRIES - 1];
      const data = rows.map((each) => ({ ...each, at: iso(each.at) }));
      return { data, nextCursor: last ? schemas.cursorOf([last.id]) : null };
    },
  }),
  endpoint({
    ...{ path: '/alerts/{id}/answers', name: 'answerAlert', problems: [404, 409] },
    summary: 'Answers a firing alert, under the name of the token. With an Idempotency-Key it counts once.',
    body: z.strictObject({
      answer: z.enum(ANSWER_NAMES),
      reason: reasonSchema,
      firedAt: z.iso
        .datetime({ offset: true })
        .optional()
        .describe('That of the alert; 409 if it has fired again since.'),
    }),
    answer: { name: 'AlertDetail', schema: schemas.alertDetailSchema },
    async run({ id, by, once, body: { answer, reason, firedAt } }, deps) {
      const key = keyAt(id);
      const firedWindowEndAt = firedAt === undefined ? undefined : Date.parse(firedAt);
      const given = { key, answer, firedWindowEndAt, link: null, form: once && `${once}/${answer}` };
      const outcome = await giveAnswer(given, { by, reason, how: 'api' }, deps);
      if (outcome.kind === 'refused') {
        const isGone = outcome.refusal.code === 'no-such-alert';
        throw new Problem(isGone ? 404 : 409, outcomeText(outcome, 'UTC'));
      }
      return loadDetail(id, deps);
    },
  }),
  endpoint({
    ...{ path: '/silences', name: 'addSilence' },
    summary:
      'Holds back all messages of matching alerts, from now on. In all but the segment, * matches any text.',
    body: z
      .strictObject({
        ...conditions,
        segment: z.string().optional(),
        hours: z.number().min(0.01).max(MOST_HOURS),
        reason: reasonSchema,
      })
      .refine(({ hours, reason, ...match }) => Object.keys(match).length > 0, 'give a condition')
      .meta({ anyOf: [...Object.keys(conditions), 'segment'].map((name) => ({ required: [name] })) }),
    answer: { name: 'Silence', schema: schemas.silenceSchema },
    async run({ by, body: { segment, hours, reason, ...named } }, deps) {
      const match = { ...named, ...(segment !== undefined && { segment: { is: segment } }) };
      const now = deps.clock.now();
      const silence = { id: deps.newId(), match, untilAt: now + hours * HOUR_MS };
      return records.silenceRecord(await addSilence(silence, { by, reason, how: 'api' }, now, deps), now);
    },
  }),
  endpoint({
    ...{ method: 'delete', path: '/silences/{id}', name: 'endSilence', problems: [404] },
    summary: 'Ends a silence now.',
    answer: { name: 'Silence', schema: schemas.silenceSchema },
    async run({ id, by }, deps) {
      const now = deps.clock.now();
      const ended = await endSilence(id, { by, how: 'api' }, now, deps);
      if (!ended) throw new Problem(404, 'there is no such silence, or it has ended');
      return records.silenceRecord(ended, now);
    },
  }),
  endpoint({
    ...{ path: '/notes', name: 'addNote' },
    summary: 'Adds a note, such as a release, to the charts of an app or, without one, of all.',
    body: z.strictObject({ text: noteTextSchema, app: word }),
    answer: { name: 'Note', schema: z.object({ id: z.string() }) },
    async run({ by, body: { text, app = null } }, deps) {
      const [id, at] = [deps.newId(), deps.clock.now()];
      await deps.notes.save({ id, text, app, at, by });
      await deps.audit.save({ at, by, how: 'api', kind: 'note-added', on: id, app, detail: text });
      return { id };
    },
  }),
];

function keyAt(id: string): AlertKey {
  const key = records.alertKeyOf(id);
  if (!key) throw new Problem(404, 'this is not the id of an alert');
  return key;
}

async function loadDetail(id: string, { publicUrl, ...deps }: EndpointDeps) {
  const [found, silences] = await Promise.all([loadAnswerable(keyAt(id), deps), deps.silences.loadAll()]);
  if (!found) throw new Problem(404, 'there is no such alert');
  const now = deps.clock.now();
  const seen = { silences: silences.filter((each) => holdsNow(each, now)), now, publicUrl };
  return records.alertDetail(found, seen);
}

function unreadableIn(status: Pick<Status, 'unread' | 'ruleSet'>): AlertKey[] {
  const alerts = status.unread.map(({ ruleId, segment }) => ({ ruleId, segment }));
  return [...alerts, ...unreadIn(status).map((ruleId) => ({ ruleId, segment: null }))];
}

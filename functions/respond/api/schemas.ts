import * as z from 'zod';
import { ALERT_STATES, ANSWER_NAMES, alertKeySchema } from '../../../shared/alerts/alert.ts';
import { auditEntrySchema } from '../../../shared/alerts/audit.ts';
import { TRANSITION_NAMES } from '../../../shared/alerts/transitions.ts';
import { VERDICTS } from '../../../shared/evaluation/evaluation.ts';
import { GATES } from '../../../shared/evaluation/gate.ts';
import { itemFiguresSchema } from '../../../shared/messages/message.ts';
import { SEVERITIES } from '../../../shared/rules/rule-schema.ts';
import { matchSchema } from '../../../shared/silences/matching.ts';
import { jsonIn } from '../../../shared/text/json.ts';

// Names that the signed webhook has too are its names.

const moment = z.iso.datetime();
const said = { by: z.string(), at: moment, reason: z.string() };
const quiet = z.object({
  ...{ because: z.enum(['silence', 'snooze']), by: z.string() },
  ...{ until: moment.nullable(), reason: z.string() },
});
const span = z.object({ start: moment, end: moment });
const incident = z.object({ start: moment, end: moment.nullable().describe('null: it has not ended.') });

export const alertRecordSchema = z.object({
  id: z.string().describe('Identifies the rule and the segment; part of the path of this alert.'),
  ...{ ruleId: z.string(), segment: z.string().nullable(), title: z.string() },
  app: z.string().nullable().describe('null: the rule was removed.'),
  owner: z.string().nullable(),
  severity: z.enum(SEVERITIES),
  ...{ state: z.enum(ALERT_STATES), flapping: z.boolean() },
  since: moment.describe('Start of the state.'),
  firedAt: moment
    .nullable()
    .describe('What it fires on. Another value is another fire. null: it does not fire.'),
  figures: itemFiguresSchema.nullable().describe('Of the last window; null: it has none.'),
  window: span.nullable().describe('The last evaluated window, half-open.'),
  acknowledged: z.object(said).nullable(),
  quiet: quiet.nullable().describe('Why it sends no messages; until is null for as long as it fires.'),
  links: z.object({ open: z.string() }),
});
export type AlertRecord = z.output<typeof alertRecordSchema>;

export const alertDetailSchema = alertRecordSchema.extend({
  runbook: z.string().nullable(),
  verdict: z.object({ verdict: z.enum(VERDICTS), text: z.string() }).nullable(),
  gates: z.array(z.object({ gate: z.enum(GATES), code: z.string(), passed: z.boolean(), text: z.string() })),
  drivers: z.array(z.string()),
  /** Evaluated windows and incidents: the last ones, oldest first. Answers and what was sent: newest first. */
  windows: z.array(z.object({ end: moment, value: z.number().nullable(), verdict: z.enum(VERDICTS) })),
  incidents: z.array(incident),
  answers: z.array(z.object({ answer: z.enum(ANSWER_NAMES), ...said })),
  sent: z.array(z.object({ transition: z.enum(TRANSITION_NAMES), channel: z.string(), at: moment })),
  mayAnswer: z.array(z.enum(ANSWER_NAMES)).describe('The answers that apply now.'),
});
export type AlertDetail = z.output<typeof alertDetailSchema>;

const ruleRecordSchema = z.object({
  ...{ id: z.string(), title: z.string(), app: z.string(), owner: z.string() },
  ...{ severity: z.enum(SEVERITIES), every: z.string(), window: z.string(), zone: z.string() },
  segments: z.boolean(),
  health: z.enum(['ok', 'inconclusive', 'failing', 'broken', 'no-data']),
  /** Why and since when the rule cannot be evaluated. */
  unhealthy: z.object({ since: moment, reason: z.string() }).nullable(),
  links: z.object({ open: z.string() }),
});
export type RuleRecord = z.output<typeof ruleRecordSchema>;

export const silenceSchema = z.object({
  ...{ id: z.string(), match: matchSchema, from: moment, until: moment },
  active: z.boolean().describe('Whether it holds messages back now.'),
  ...said,
});
export type SilenceRecord = z.output<typeof silenceSchema>;

const at = moment.describe('When it happened or began.');
const { ruleId, segment, title, app, owner, severity, links } = alertRecordSchema.shape;
const timelineEntrySchema = z.discriminatedUnion('kind', [
  z.object({
    ...{ kind: z.literal('incident'), id: z.string().describe('That of the alert.'), at },
    ...{ end: incident.shape.end, ruleId, segment, title, app, owner, severity, links },
  }),
  z.object({
    ...{ kind: z.literal('note'), id: z.string(), at, text: z.string(), by: z.string() },
    app: z.string().nullable().describe('null: all apps.'),
  }),
]);
export type TimelineEntry = z.output<typeof timelineEntrySchema>;

/** A place in the order of a list: what never changes, so that each row is on exactly one page, whatever happens between two requests. */
export type Place = readonly (string | number | null)[];

export const alertPlaceSchema = z.tuple([z.string(), z.string().nullable()]);

export const cursorOf = (place: Place): string => Buffer.from(JSON.stringify(place)).toString('base64url');

const BASE64URL = /^[\w-]+$/;
/** The inverse of `cursorOf`. */
export const placeIn = <P extends z.ZodType<Place>>(form: P) =>
  z
    .string()
    .regex(BASE64URL)
    .transform((cursor) => jsonIn(Buffer.from(cursor, 'base64url').toString()))
    .pipe(form);

const pageOf = <T extends z.ZodType>(record: T) =>
  z.object({
    data: z.array(record),
    nextCursor: z.string().nullable().describe('The cursor of the next page; null: this is the last one.'),
  });
const unreadable = z
  .array(alertKeySchema)
  .describe('What is stored but cannot be read: alerts of these may be missing.');
export const alertPageSchema = pageOf(alertRecordSchema).extend({ unreadable });
export const rulePageSchema = pageOf(ruleRecordSchema).extend({ unreadable });
export const timelinePageSchema = pageOf(timelineEntrySchema).extend({ unreadable });
export const silencePageSchema = pageOf(silenceSchema);

export const problemSchema = z.object({
  type: z.literal('about:blank'),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
});
export const auditPageSchema = pageOf(auditEntrySchema.required().extend({ id: z.string(), at: moment }));

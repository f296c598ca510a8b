import * as z from 'zod';
import { ALERT_STATES, ANSWER_NAMES, alertKeySchema } from '../../../shared/alerts/alert.ts';
import { TRANSITION_NAMES } from '../../../shared/alerts/transitions.ts';
import { VERDICTS } from '../../../shared/evaluation/evaluation.ts';
import { GATES } from '../../../shared/evaluation/gate.ts';
import { itemFiguresSchema } from '../../../shared/messages/message.ts';
import { SEVERITIES } from '../../../shared/rules/rule-schema.ts';

// Names that the signed webhook has too are its names.

const moment = z.iso.datetime();
const said = { by: z.string(), at: moment, reason: z.string() };
const quiet = z.object({
  ...{ because: z.enum(['silence', 'snooze']), by: z.string() },
  ...{ until: moment.nullable(), reason: z.string() },
});
const span = z.object({ start: moment, end: moment });

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
  incidents: z.array(span.extend({ open: z.boolean() })),
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

const pageOf = <T extends z.ZodType>(record: T) =>
  z.object({
    data: z.array(record),
    nextCursor: z.string().nullable().describe('The cursor of the next page; null: this is the last one.'),
    unreadable: z
      .array(alertKeySchema)
      .describe('What is stored but cannot be read: alerts of these may be missing.'),
  });
export const alertPageSchema = pageOf(alertRecordSchema);
export const rulePageSchema = pageOf(ruleRecordSchema);

export const problemSchema = z.object({
  type: z.literal('about:blank'),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
});

import * as z from 'zod';
import { type Testable, TRANSITIONS } from '../alerts/transitions.ts';
import { filterSchema } from '../contract/filters.ts';
import { metricSchema } from '../rules/figures.ts';
import { groupBySchema } from '../rules/group-by.ts';
import { matchSchema } from '../rules/match-schema.ts';
import { SEVERITIES } from '../rules/rule-schema.ts';
import { percent, slug, zone } from '../text/text-schemas.ts';
import { parseSeries, type WrittenSeries, type WrittenValue } from './series-notation.ts';

const MOMENT = 'write a date such as 2026-03-09, or a local time such as 2026-03-09 14:00';

const moment = z
  .string(MOMENT)
  .refine((text) => isMoment(text), { error: MOMENT })
  .describe('A date such as 2026-03-09, or a time such as 2026-03-09 14:00, in the zone of the test.');

const figures = z
  .union([z.string(), z.number()], 'write values such as 1000*56 400')
  .transform((given, context): WrittenValue[] => {
    const parsed: WrittenSeries = parseSeries(String(given));
    if (parsed.kind === 'values') return parsed.values;
    context.addIssue({ code: 'custom', message: parsed.reason });
    return z.NEVER;
  });

const revisionSchema = z.strictObject({
  window: moment.describe('The start of the window that changes.'),
  value: z.union([z.number().min(0), z.literal('_')], 'write a number, or _ for no row'),
  weight: z.number().min(0).optional(),
  seen: moment.describe('When the service starts to answer the new value.'),
});

const seriesSchema = z.strictObject({
  event: z.string().min(1).optional().describe('The name of the event.'),
  metric: metricSchema.optional().describe('The metric of the values. For an event, event_count by default.'),
  segment: z.string().optional().describe("The segment: a value of the rule's group_by."),
  group_by: groupBySchema
    .optional()
    .describe('The group_by of the rules that have the segment, if rules are grouped by different ones.'),
  filters: z
    .array(filterSchema)
    .optional()
    .describe('Only for rules with these filters. A series without filters applies to all other rules.'),
  app: z.string().min(1).optional().describe('The app, if the rules are for several apps.'),
  values: figures.describe(
    'The figure of each window, such as 1000*56 400, 100x5 or 100+10x5. Use _ for no row and stale for an app without data.',
  ),
  weight: figures
    .optional()
    .describe(
      'For a mean, its number of sessions or users, and for a property, of events: one number for all windows, or one for each.',
    ),
  revisions: z.array(revisionSchema).default([]).describe('Windows whose figure changes later.'),
});

const silenceSchema = z.strictObject({
  match: matchSchema,
  from: moment,
  until: moment,
});

const subject = z.string().min(1).optional();
const number = z.number().optional();

/** A percentage with the number of decimals of the test file: "-59.5%" is -59.5 with one. */
interface WrittenPercent {
  percent: number;
  decimals: number;
}

const change = percent.in.transform((text): WrittenPercent => {
  const digits = text.slice(0, -1);
  return { percent: Number(digits), decimals: digits.split('.')[1]?.length ?? 0 };
});

const alertShape = {
  fired: subject.describe('The rule that fires.'),
  recovered: subject,
  retracted: subject,
  accepted: subject,
  reminded: subject,
  flapping: subject,
  calmed: subject,
  persists: subject,
  'no-data': subject,
  'data-back': subject,
  stopped: subject.describe('The app that stops sending data.'),
  resumed: subject,
} satisfies Record<Testable, typeof subject>;

const EXPECTED = Object.keys(alertShape) as Testable[];

const alertSchema = z
  .strictObject({
    ...alertShape,
    segment: z.string().optional(),
    window: moment.optional().describe('The start of the window that the alert is about.'),
    at: moment.optional().describe('When the alert is sent. A date matches any time of that day.'),
    current: number,
    baseline: number,
    difference: number,
    change: change.optional(),
    reason: z.string().min(1).optional().describe('A text that the reason contains.'),
  })
  .transform((given, context) => {
    const [only, ...others] = EXPECTED.filter((each) => given[each] !== undefined);
    if (!only || others.length > 0) {
      // The unknown key is already reported.
      if (context.issues.length > 0) return z.NEVER;
      const found = only ? `, not both ${[only, ...others].join(' and ')}` : '';
      const message = `an alert needs one of ${EXPECTED.join(', ')}${found}, with the id of the rule: fired: purchases`;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    }
    const { segment, window, at, current, baseline, difference, change, reason } = given;
    return {
      ...{ transition: only, subject: given[only] ?? '', isOfApp: isOfApp(only) },
      ...{ segment, window, at, current, baseline, difference, change, reason },
    };
  });

/** Whether its subject is an app and not a rule. */
function isOfApp(transition: Testable): boolean {
  return TRANSITIONS[transition].about.every((each) => each === 'app-stopped');
}

/** One expected alert. Missing fields match anything. `subject`: the id of the rule, or of the app. */
export type ExpectedAlert = z.output<typeof alertSchema>;

const texts = z.union(
  [z.string().min(1), z.array(z.string().min(1)).min(1)],
  'write a text or a list of texts',
);

const messageSchema = z.strictObject({
  channel: z.string().min(1).optional().describe('The channel in routes.yaml that gets the message.'),
  at: moment.optional().describe('When the message is sent. A date matches any time of that day.'),
  title: z.string().min(1).optional().describe('The exact title.'),
  contains: texts.optional().describe('Texts that the message contains. Case matters.'),
  items: z.int().min(1).optional().describe('The number of alerts in the message.'),
  severity: z.enum(SEVERITIES).optional(),
});

/** One expected message. Missing fields match anything. */
export type ExpectedMessage = z.output<typeof messageSchema>;

/** A test, with the defaults of its file. */
export const ruleTestSchema = z
  .strictObject({
    name: z.string().min(1).max(150).describe('What the rule should do, as a sentence.'),
    rules: z
      .array(slug)
      .min(1)
      .optional()
      .describe('The ids of the rules that run. By default all rules that the series have figures for.'),
    zone: zone.optional().describe('The time zone of all times in the test. By default that of the rules.'),
    starts: moment.describe('When the first window of the series starts.'),
    series: z.array(seriesSchema).min(1).describe('The figures that the service answers.'),
    silences: z.array(silenceSchema).default([]).describe('Silences during the test.'),
    alerts: z.array(alertSchema).optional().describe('All expected alerts. Any other alert fails the test.'),
    messages: z
      .array(messageSchema)
      .optional()
      .describe('All expected messages. Any other message fails the test.'),
    quiet: z.literal(true, 'write true, or remove it').optional().describe('No alerts are expected.'),
  })
  .refine(({ alerts, messages, quiet }) => alerts || messages || quiet, {
    error: 'add the expected "alerts" or "messages", or "quiet: true" for none',
  })
  .refine(({ alerts, messages, quiet }) => !quiet || !(alerts || messages), {
    path: ['quiet'],
    error: 'cannot be combined with "alerts" or "messages"; remove one of them',
  });

export type RuleTest = z.output<typeof ruleTestSchema>;
export type SeriesSpec = z.output<typeof seriesSchema>;

/** A test file. `defaults` apply to every test that does not override them. */
export const ruleTestFileSchema = z.strictObject({
  $schema: z.string().optional(),
  defaults: z.record(z.string(), z.unknown()).optional(),
  tests: z.array(z.record(z.string(), z.unknown())).min(1),
});

/** Whether the text is a valid date or time. */
function isMoment(text: string): boolean {
  const [, day = ''] = /^(\d{4}-\d\d-\d\d)(?:[T ]([01]\d|2[0-3]):[0-5]\d)?$/.exec(text) ?? [];
  return z.iso.date().safeParse(day).success;
}

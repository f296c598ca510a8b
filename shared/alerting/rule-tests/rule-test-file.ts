import * as z from 'zod';
import { attributeSchema, filterSchema } from '../../analytics/filters.ts';
import { type Testable, TRANSITIONS, type Transition } from '../alerts/transitions.ts';
import { matchSchema } from '../notifications/routes.ts';
import { METRICS, type MetricName } from '../rules/metrics.ts';
import { SEVERITIES } from '../rules/rule.ts';
import { percent, slug, zone } from '../text/text-schemas.ts';
import { GRAINS } from '../time/window.ts';
import { parseSeries, type WrittenSeries, type WrittenValue } from './series-notation.ts';

const METRIC_NAMES = Object.keys(METRICS) as [MetricName, ...MetricName[]];

const MOMENT = 'write a date, 2026-03-09, or a time, 2026-03-09 14:00, as the clocks of the zone show it';

const moment = z
  .string(MOMENT)
  .refine((text) => isMoment(text), { error: MOMENT })
  .describe('A date, 2026-03-09, or a time, 2026-03-09 14:00, as the clocks of the zone show it.');

const figures = z
  .union([z.string(), z.number()], 'write values such as 1000*56 400')
  .transform((given, context): WrittenValue[] => {
    const parsed: WrittenSeries = parseSeries(String(given));
    if (parsed.kind === 'values') return parsed.values;
    context.addIssue({ code: 'custom', message: parsed.reason });
    return z.NEVER;
  });

const revisionSchema = z.strictObject({
  window: moment.describe('The beginning of the window that changed.'),
  value: z.union([z.number().min(0), z.literal('_')], 'write a number, or _ for no row'),
  weight: z.number().min(0).optional(),
  seen: moment.describe('From when on the service answers so.'),
});

const seriesSchema = z.strictObject({
  event: z.string().min(1).optional().describe('The name of the event.'),
  metric: z.enum(METRIC_NAMES).optional().describe('What the values are of; of an event, event_count.'),
  segment: z.string().optional().describe("The value of the rule's group_by."),
  group_by: attributeSchema.optional().describe('Where rules are grouped by several attributes: which.'),
  filters: z
    .array(filterSchema)
    .optional()
    .describe('Where rules differ in their filters: for which of them; without, for all others.'),
  app: z.string().min(1).optional().describe('Where rules are of several apps: which.'),
  values: figures.describe('The figure of each window: 1000*56 400, 100x5, 100+10x5, _ for no row, stale.'),
  weight: figures
    .optional()
    .describe('Of a mean: the sessions or users it is over, one number or one for each window.'),
  revisions: z.array(revisionSchema).default([]).describe('Windows that come to be another figure, later.'),
});

const silenceSchema = z.strictObject({
  match: matchSchema,
  from: moment,
  until: moment,
});

const subject = z.string().min(1).optional();
const number = z.number().optional();

/** "-59.5%" as -59.5 with one decimal. */
const change = percent.in.transform((text): WrittenPercent => {
  const digits = text.slice(0, -1);
  return { percent: Number(digits), decimals: digits.split('.')[1]?.length ?? 0 };
});

const newsShape = {
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
  stopped: subject.describe('The app that sends nothing any more.'),
  resumed: subject,
} satisfies Record<Testable, typeof subject>;

const NEWS = Object.keys(newsShape) as Testable[];

const alertSchema = z
  .strictObject({
    ...newsShape,
    segment: z.string().optional(),
    window: moment.optional().describe('The beginning of the window that is told of.'),
    at: moment.optional().describe('When it is told; a date alone for any time of it.'),
    current: number,
    baseline: number,
    difference: number,
    change: change.optional(),
    reason: z.string().min(1).optional().describe('A text that its reason holds.'),
  })
  .transform((given, context): ExpectedAlert => {
    const [only, ...others] = NEWS.filter((each) => given[each] !== undefined);
    if (!only || others.length > 0) {
      // An unknown key was complained of already.
      if (context.issues.length > 0) return z.NEVER;
      const found = only ? `, not ${[only, ...others].join(' and ')}` : '';
      const message = `an alert is one of ${NEWS.join(', ')}${found}, with the rule: fired: purchases`;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    }
    const { segment, window, at, current, baseline, difference, change, reason } = given;
    return {
      ...{ transition: only, subject: given[only] ?? '', isOfApp: isOfApp(only) },
      ...{ segment, window, at, current, baseline, difference, change, reason },
    };
  });

/** Whether its subject is an app, and no rule. */
function isOfApp(transition: Testable): boolean {
  return TRANSITIONS[transition].on.about.every((each) => each === 'app-stopped');
}

/** A percentage with as many decimals as were written. */
export interface WrittenPercent {
  percent: number;
  decimals: number;
}

/** One thing that is to be told; what is left out may be anything. */
export interface ExpectedAlert {
  transition: Transition;
  /** The id of the rule, or of the app. */
  subject: string;
  isOfApp: boolean;
  segment: string | undefined;
  window: string | undefined;
  at: string | undefined;
  current: number | undefined;
  baseline: number | undefined;
  difference: number | undefined;
  change: WrittenPercent | undefined;
  reason: string | undefined;
}

const texts = z.union(
  [z.string().min(1), z.array(z.string().min(1)).min(1)],
  'write a text or a list of texts',
);

const messageSchema = z.strictObject({
  channel: z.string().min(1).optional().describe('The channel of routes.yaml that gets it.'),
  at: moment.optional().describe('When it is sent; a date alone for any time of it.'),
  title: z.string().min(1).optional().describe('Its title, word for word.'),
  contains: texts.optional().describe('Texts that stand in it, in their letters.'),
  items: z.int().min(1).optional().describe('Of how many alerts it tells.'),
  severity: z.enum(SEVERITIES).optional(),
});

/** One message that is to be sent; what is left out may be anything. */
export type ExpectedMessage = z.output<typeof messageSchema>;

const testSchema = z
  .strictObject({
    name: z.string().min(1).max(150).describe('What the rule is to do, as a sentence.'),
    rules: z
      .array(slug)
      .min(1)
      .optional()
      .describe('The rules that run; by default those that the series give figures to.'),
    zone: zone
      .optional()
      .describe('In which times are written and windows begin; by default that of the rules.'),
    starts: moment.describe('When the first window of the series begins.'),
    interval: z
      .enum(GRAINS)
      .optional()
      .describe('The span of one value; by default the window of the rules.'),
    series: z.array(seriesSchema).min(1).describe('What the service answers.'),
    silences: z.array(silenceSchema).default([]).describe('Silences that are on.'),
    alerts: z.array(alertSchema).optional().describe('All that is told, and nothing else may be.'),
    messages: z.array(messageSchema).optional().describe('All messages that are sent, and no others may be.'),
    quiet: z.literal(true, 'write true, or leave it out').optional().describe('Nothing is told.'),
  })
  .superRefine(({ alerts, messages, quiet }, context) => {
    const given = [alerts, messages].some((each) => each !== undefined);
    if (!given && !quiet)
      context.addIssue({
        code: 'custom',
        message: 'say what is to be told: "alerts", "messages", or "quiet: true" for nothing',
      });
    if (given && quiet)
      context.addIssue({
        code: 'custom',
        path: ['quiet'],
        message: 'nothing is told, or what "alerts" and "messages" say: leave one out',
      });
  });

/** A test as it is written; `defaults` hold for every test of the file that does not say otherwise. */
export type RuleTest = z.output<typeof testSchema>;
export type SeriesSpec = z.output<typeof seriesSchema>;

export const ruleTestSchema = testSchema;

/** The keys of a test file, as people write them. */
export const ruleTestFileSchema = z.strictObject({
  $schema: z.string().optional(),
  defaults: z.record(z.string(), z.unknown()).optional(),
  tests: z.array(z.record(z.string(), z.unknown())).min(1),
});

/** Whether there is such a day, and such a time on it; a time that comes twice may have an offset, "02:00+01:00". */
function isMoment(text: string): boolean {
  const parts = /^(\d{4}-\d\d-\d\d)(?:[T ]([01]\d|2[0-3]):[0-5]\d(?:[+-](?:0\d|1[0-4]):[0-5]\d)?)?$/.exec(
    text,
  );
  const at = parts ? Date.parse(`${parts[1]}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(parts?.[1] ?? '-');
}

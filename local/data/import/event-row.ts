import * as z from 'zod';
import { boundedText } from '../../../shared/runtime/bounded-text.ts';
import { fieldPicker } from './field-picker.ts';
import { COUNTS, DESCRIPTIONS, FLAGS, type Mapping } from './fields.ts';
import { isObject, type RecordFile } from './records.ts';
import { parseTime, type TimeFormat } from './times.ts';

/** Converts a record to a row, or returns the problem. */
export type RowReader = (
  line: number,
  values: Record<string, unknown>,
) => { row: StagedRow } | { problem: string };

/** A validated event. `about` is a JSON object with the session fields, if any. */
export type StagedRow = Omit<
  z.output<ReturnType<typeof eventSchema>>,
  'properties' | (typeof DESCRIPTIONS)[number]
> & {
  line: number;
  properties: string;
  about: string | undefined;
};

export function rowReader(
  mapping: Mapping,
  timeFormat: TimeFormat,
  asProperty: RecordFile['asProperty'],
): RowReader & { kept: ReadonlySet<string> } {
  const schema = eventSchema(timeFormat);
  const pick = fieldPicker(mapping, asProperty);
  const kept = new Set<string>();
  const read: RowReader = (line, values) => {
    const { fields, rest } = pick(values);
    const parsed = schema.safeParse(fields);
    if (!parsed.success) return { problem: problemIn(parsed.error) };
    const event = parsed.data;
    for (const column of Object.keys(rest)) kept.add(column);
    const described = DESCRIPTIONS.filter((name) => event[name] !== undefined);
    return {
      row: {
        ...event,
        line,
        uploaded_at: event.uploaded_at ?? event.recorded_at,
        properties: toJson({ ...rest, ...event.properties }),
        about: described.length
          ? toJson(Object.fromEntries(described.map((name) => [name, event[name]])))
          : undefined,
      },
    };
  };
  return Object.assign(read, { kept });
}

const notText = ({ input }: { input?: unknown }) =>
  input === undefined ? 'is missing' : `${shown(input)} is neither text nor an exact number`;

/** Rejects integers beyond the safe range: rounding would merge different ids. */
const exact = z.number().refine((n) => Number.isSafeInteger(n) || n % 1 !== 0, { error: notText });

const text = z
  .union([z.string(), exact, z.bigint(), z.boolean()], { error: notText })
  .transform((value) => String(value).trim())
  .pipe(z.string().min(1, { error: 'is blank' }));

/** Text that rules and queries can group by. */
const value = text.transform(boundedText);

const MAX_ID_LETTERS = 500;
const id = text.pipe(
  z.string().max(MAX_ID_LETTERS, {
    error: ({ input }) => `${shown(input)} is longer than ${MAX_ID_LETTERS} characters`,
  }),
);

const flag = z.union([z.boolean(), z.literal([0, 1]).transform((bit) => bit === 1), z.stringbool()], {
  error: ({ input }) => `${shown(input)} is neither true nor false`,
});

const count = text
  .pipe(z.string().regex(/^\d{1,9}$/, { error: ({ input }) => `${shown(input)} is not a count` }))
  .transform(Number);

const platform = text.pipe(
  z
    .string()
    .toLowerCase()
    .pipe(
      z.enum(['android', 'ios', 'web'], {
        error: ({ input }) => `${shown(input)} is not android, ios or web`,
      }),
    ),
);

const jsonObject = z.unknown().transform((value, context) => {
  const parsed = typeof value === 'string' ? parsedOrText(value) : value;
  if (isObject(parsed)) return parsed;
  context.addIssue({ code: 'custom', message: `${shown(value)} is not a JSON object` });
  return z.NEVER;
});

export function eventSchema(timeFormat: TimeFormat) {
  const time = z.unknown().transform((value, context) => {
    const at = parseTime(value, timeFormat);
    if (at !== undefined) return at;
    const message =
      value === undefined
        ? 'is missing'
        : `${shown(value)} is not a time between 1990 and 2099 in the format ${timeFormat}`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
  return z.object({
    event_name: value,
    user_id: id,
    recorded_at: time,
    event_id: id.optional(),
    session_id: id.optional(),
    screen_name: value.optional(),
    uploaded_at: time.optional(),
    properties: jsonObject.optional(),
    ...shapeOf(DESCRIPTIONS, value.optional()),
    platform: platform.optional(),
    user_properties: jsonObject.optional(),
    ...shapeOf(FLAGS, flag.optional()),
    ...shapeOf(COUNTS, count.optional()),
  });
}

function shapeOf<Name extends string, Schema>(names: readonly Name[], schema: Schema): Record<Name, Schema> {
  return Object.fromEntries(names.map((name) => [name, schema])) as Record<Name, Schema>;
}

function problemIn(error: z.ZodError): string {
  return error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`).join(', ');
}

function parsedOrText(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function shown(value: unknown): string {
  const json = toJson(value) ?? String(value);
  return json.length > 60 ? `${json.slice(0, 57)}...` : json;
}

function toJson(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? exactly(each) : each));
}

function exactly(value: bigint): number | string {
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

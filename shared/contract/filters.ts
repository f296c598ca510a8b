import * as z from 'zod';
import {
  ATTRIBUTES,
  type Attribute,
  type AttributeName,
  type AttributeType,
  attributeNames,
  isAttributeName,
  type Read,
  type Resource,
} from './attributes.ts';

/** Other years are typing mistakes. */
const YEARS = /^(19[7-9]|2[01]\d)\d-/;
/** A date covers the day in the app's zone. A timestamp is exact. */
export const dateBoundSchema = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], {
    error: 'not a date; write YYYY-MM-DD or an ISO 8601 timestamp such as 2026-03-01T00:00:00Z',
  })
  .refine((bound) => YEARS.test(bound), { error: 'not between the years 1970 and 2199', abort: true })
  .meta({ pattern: YEARS.source });
const NOT_A_MONTH = 'not a date; write YYYY-MM, YYYY-MM-DD or an ISO 8601 timestamp';
const monthKeySchema = z.string().regex(/^(19[7-9]|2[01]\d)\d-(0[1-9]|1[0-2])$/, NOT_A_MONTH);
export const isMonthKey = (value: string): boolean => monthKeySchema.safeParse(value).success;
export const isWholeDay = (bound: string): boolean => bound.length === 10;

/** The name of an attribute. `accepted`, for the error message, are those that the query may use; others fail later. */
export function attributeOf(accepted: readonly AttributeName[]) {
  return z
    .string()
    .min(1)
    .refine(isAttributeName, {
      error: ({ input }) => `unknown attribute "${String(input).slice(0, 80)}"; use ${accepted.join(', ')}`,
      abort: true,
    });
}
export const attributeSchema = attributeOf(Object.keys(ATTRIBUTES).filter(isAttributeName));
export const propertyNameSchema = z.string().min(1, 'an empty name').max(200, 'over 200 characters');

const scalar = z.union([z.string(), z.number(), z.boolean()], { error: 'not a string, number or boolean' });
type Scalar = z.infer<typeof scalar>;
const scalars = z
  .array(scalar, { error: 'not a list' })
  .min(1, 'an empty list')
  .max(1000, 'over 1000 values');

/** A number, also as text in the JSON format, because forms and spreadsheets send text. Always finite. */
const sentNumberSchema = z.union(
  [
    z.number(),
    z
      .string()
      .regex(/^-?\d{1,200}(\.\d+)?([eE][+-]?\d{1,2})?$/)
      .transform(Number),
  ],
  { error: 'not a number' },
);
const text = z.string('not a string');
const booleanText = z.enum(['true', 'false']).transform((value) => value === 'true');

export const PLATFORMS = ['android', 'ios', 'web'] as const;
export type Platform = (typeof PLATFORMS)[number];
/** The platform of a filter value: its name or its number (1 android, 2 ios, 3 web). */
const platformSchema = z
  .literal([...PLATFORMS, '1', '2', '3', 1, 2, 3], 'not one of android, ios, web')
  .transform((value) => PLATFORMS[Number(value) - 1] ?? value);

const VALUES: Readonly<Record<AttributeType, z.ZodType<Scalar>>> = {
  string: text,
  platform: platformSchema,
  number: sentNumberSchema,
  boolean: z.union([z.boolean(), booleanText], { error: 'not a boolean' }),
  list: text,
  json: scalar,
  date: dateBoundSchema,
  bucket: dateBoundSchema,
  window: dateBoundSchema,
};
const monthSchema = z.union([monthKeySchema, dateBoundSchema], NOT_A_MONTH);
export const valueSchemaOf = ({ type, unit }: Attribute): z.ZodType<Scalar> =>
  unit === 'month' ? monthSchema : VALUES[type];

export const NO_FILTER = ' is no filter here';

function filterOf<Compared extends z.ZodType<number>>(attribute: typeof attributeSchema, compared: Compared) {
  const target = { attribute, property_name: propertyNameSchema.optional() };
  const shape = <const Operators extends readonly string[], Value extends z.ZodType>(
    operators: Operators,
    value: Value,
  ) => z.strictObject({ ...target, operator: z.enum(operators), value });
  const shapes = [
    shape(['equal', 'not_equal'], scalar),
    shape(['in', 'not_in', 'has_any', 'not_has_any'], scalars),
    shape(['greater', 'less', 'greater_or_equal', 'less_or_equal'], compared),
    shape(['contains', 'not_contains'], z.string('not a string').min(1, 'an empty string')),
    shape(['on', 'not_on', 'after', 'before'], dateBoundSchema),
    shape(['between_dates'], z.strictObject({ lower: dateBoundSchema, upper: dateBoundSchema })),
  ] as const;
  return z.discriminatedUnion('operator', shapes, {
    error: ({ code, input }): string => {
      if (code !== 'invalid_union') return 'not an object';
      const group = ['any', 'did', 'did_not'].find((key) => Object.hasOwn(Object(input), key));
      return group
        ? `${group}${NO_FILTER}; only the filters of a request have it`
        : `unknown operator; use ${operatorsFor(input).join(', ')}`;
    },
  });
}

/** The shape of one condition. `filterFor` checks whether the attribute fits the resource. */
export const filterSchema = z.lazy(() => filterOf(attributeSchema, z.number('not a number')));
/** The same for requests, which may have numbers as text. */
export const sentFilterSchema = z.lazy(() => filterOf(attributeSchema, sentNumberSchema));
export type Filter = z.infer<typeof filterSchema>;
export type Operator = Filter['operator'];

const MATCHES: readonly Operator[] = ['equal', 'not_equal', 'in', 'not_in'];
const COMPARES: readonly Operator[] = ['greater', 'less', 'greater_or_equal', 'less_or_equal'];
const SEARCHES: readonly Operator[] = ['contains', 'not_contains'];
const DATES: readonly Operator[] = ['between_dates', 'on', 'not_on', 'after', 'before'];

export const OPERATORS: Readonly<Record<AttributeType, readonly Operator[]>> = {
  string: [...MATCHES, ...SEARCHES],
  platform: MATCHES,
  number: [...MATCHES, ...COMPARES],
  boolean: MATCHES,
  list: ['has_any', 'not_has_any'],
  json: [...MATCHES, ...COMPARES, ...SEARCHES],
  date: [...MATCHES, ...DATES],
  bucket: [...MATCHES, ...DATES],
  window: ['between_dates'],
};

/** The operators that a sent filter may have, by its attribute if that is known. */
function operatorsFor(input: unknown): readonly string[] {
  const target = z.object({ attribute: attributeSchema }).safeParse(input);
  return target.success
    ? OPERATORS[ATTRIBUTES[target.data.attribute].type]
    : [...new Set(Object.values(OPERATORS).flat())];
}

interface Fault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}
const faultAt = (field: string, message: string): Fault => ({ path: [field], message });

/** One filter on a resource, with its value in the type of its attribute. */
export const filterFor = (resource: Resource, read: Read) =>
  filterOf(attributeOf(attributeNames(resource, 'filtersOn')), sentNumberSchema).transform(
    (filter, context) => {
      const typed = faultOf(filter, resource, read) ?? withTypedValue(filter);
      if (!('message' in typed)) return typed;
      context.addIssue({ code: 'custom', message: typed.message, path: [...typed.path] });
      return filter;
    },
  );

function faultOf(filter: Filter, resource: Resource, read: Read): Fault | undefined {
  const attribute = ATTRIBUTES[filter.attribute];
  if (!attribute.filtersOn.includes(resource)) {
    const accepted = attributeNames(resource, 'filtersOn').join(', ');
    return faultAt('attribute', `${filter.attribute} does not filter ${resource}s; use ${accepted}`);
  }
  if (attribute.listOnly && read !== 'list')
    return faultAt('attribute', `${filter.attribute} only filters the list of ${resource}s`);
  const operators = OPERATORS[attribute.type];
  if (!operators.includes(filter.operator))
    return faultAt(
      'operator',
      `${filter.operator} does not fit ${filter.attribute}; use ${operators.join(', ')}`,
    );
  return propertyFault(filter.attribute, filter.property_name);
}

/** `property_name` is required for maps and refused otherwise, in filters, groups and aggregations. */
export function propertyFault(attribute: AttributeName, propertyName: string | undefined): Fault | undefined {
  const needed = ATTRIBUTES[attribute].type === 'json';
  if (needed === (propertyName !== undefined)) return undefined;
  return faultAt('property_name', `${attribute} ${needed ? 'needs a' : 'takes no'} property_name`);
}

/** The filter with a value of the type of its attribute: text becomes a number or a boolean. */
function withTypedValue(filter: Filter): Filter | Fault {
  const schema = valueSchemaOf(ATTRIBUTES[filter.attribute]);
  switch (filter.operator) {
    case 'equal':
    case 'not_equal': {
      const { data: value, error } = schema.safeParse(filter.value);
      return value === undefined ? valueFault(error) : { ...filter, value };
    }
    case 'in':
    case 'not_in':
    case 'has_any':
    case 'not_has_any': {
      const { data: value, error } = z.array(schema).safeParse(filter.value);
      return value === undefined ? valueFault(error) : { ...filter, value };
    }
    case 'between_dates':
      return isInverted(filter.value) ? faultAt('value', 'lower is after upper') : filter;
    default:
      return filter;
  }
}

function valueFault(error: z.ZodError | undefined): Fault {
  const [{ path, message } = { path: [], message: 'not valid' }] = error?.issues ?? [];
  return { path: ['value', ...path.map(Number)], message };
}

/** Only compares two dates or two timestamps: a date against a timestamp depends on the app's zone. */
function isInverted({ lower, upper }: { lower: string; upper: string }): boolean {
  return isWholeDay(lower) === isWholeDay(upper) && Date.parse(lower) > Date.parse(upper);
}

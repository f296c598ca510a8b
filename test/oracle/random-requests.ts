import fc from 'fast-check';
import { ATTRIBUTES, type Attribute, attributeNamed, propertyText, propertyValue } from './attributes.ts';
import { whatIsSeen } from './facts.ts';
import { addDays, localDate } from './local-time.ts';
import { PROPERTY_NAMES, ZONES } from './random-world.ts';
import type {
  AnalyticsRequest,
  ListRequest,
  RequestFilter,
  RequestGroup,
  RequestMetric,
  Resource,
} from './requests.ts';
import type { Properties, World } from './rows.ts';

const DAY = 24 * 3_600_000;
const anyOf = <T>(values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);

/** Random questions about a world: what its rows hold, and what they just miss. */
export function requestsAbout(world: World) {
  const filters = (resource: Resource, read: 'list' | 'analytics') =>
    fc
      .tuple(
        fc.option(dateRange(world), { nil: undefined, freq: 8 }),
        fc.array(filterOn(world, resource, read), { maxLength: 3 }),
        fc.boolean(),
      )
      .map(([range, others, isFirst]) => {
        if (range === undefined) return others;
        return isFirst ? [range, ...others] : [...others, range];
      });
  return {
    analytics: (resource: Resource): fc.Arbitrary<AnalyticsRequest> =>
      fc.record(
        {
          filters: filters(resource, 'analytics'),
          group_by: groupsOf(resource),
          aggregation: metricsOf(resource),
          comparison: anyOf([0, 1] as const),
        },
        { requiredKeys: [] },
      ),
    list: (resource: Exclude<Resource, 'screen'>): fc.Arbitrary<ListRequest> =>
      fc.record(
        {
          filters: filters(resource, 'list'),
          ...(resource === 'user' && { show_only: fc.subarray(SECTIONS, { minLength: 1 }) }),
        },
        { requiredKeys: [] },
      ),
  };
}

const SECTIONS = ['property', 'usage', 'location', 'device', 'deviceBasics', 'deviceHardware'];

/** Moments that matter: the changes of the clocks, the ends of the window that holds when none is given, rows. */
function momentIn({ zone, now, sessions }: World): fc.Arbitrary<number> {
  const changes = (ZONES[zone] ?? []).map((change) => Date.parse(change));
  const around = [...changes, ...changes, now, now - 30 * DAY];
  return fc.oneof(
    fc
      .tuple(anyOf(around), fc.integer({ min: -144, max: 144 }))
      .map(([at, steps]) => at + steps * (DAY / 48)),
    anyOf(sessions).map(({ recorded_at }) => recorded_at),
  );
}

const timestamp = (at: number): fc.Arbitrary<string> =>
  anyOf([new Date(at).toISOString(), new Date(at + 5.5 * (DAY / 24)).toISOString().replace('Z', '+05:30')]);

/** A date or a timestamp. */
function boundIn(world: World): fc.Arbitrary<string> {
  return momentIn(world).chain((at) => fc.oneof(fc.constant(localDate(at, world.zone)), timestamp(at)));
}

function dateRange(world: World): fc.Arbitrary<RequestFilter> {
  const days = fc
    .tuple(momentIn(world), anyOf([0, 0, 1, 2, 6, 9, 30, 61]))
    .map(([at, more]) => [localDate(at, world.zone), addDays(localDate(at, world.zone), more)]);
  const exact = fc
    .tuple(momentIn(world), anyOf([0, 1, DAY / 24, DAY, 2.5 * DAY, 20 * DAY, 200 * DAY]))
    .chain(([at, more]) => fc.tuple(timestamp(at), timestamp(at + more)));
  const mixed = fc.tuple(boundIn(world), boundIn(world));
  return fc
    .oneof({ weight: 5, arbitrary: days }, { weight: 4, arbitrary: exact }, { weight: 1, arbitrary: mixed })
    .filter(([lower = '', upper = '']) => isAccepted(lower, upper))
    .map(([lower, upper]) => ({
      attribute: 'date_range',
      operator: 'between_dates',
      value: { lower, upper },
    }));
}

/** Of two bounds of one sort in the wrong order each kind of filter complains alike: asked for by hand elsewhere. */
const isAccepted = (lower: string, upper: string): boolean =>
  (lower.length === 10) !== (upper.length === 10) || Date.parse(lower) <= Date.parse(upper);

function filterOn(world: World, resource: Resource, read: 'list' | 'analytics'): fc.Arbitrary<RequestFilter> {
  const names = Object.entries(ATTRIBUTES)
    .filter(([, { filters, kind }]) => filters.includes(resource) && (kind !== 'lifetime' || read === 'list'))
    .map(([name]) => name);
  // Half of all questions would ask for some rare attribute else.
  const common = names.filter((name) => /platform|country|event_name|custom_property|duration/.test(name));
  return fc.oneof(anyOf(names), anyOf(common)).chain((attribute) => conditionOn(world, attribute));
}

function conditionOn(world: World, name: string): fc.Arbitrary<RequestFilter> {
  const attribute = attributeNamed(name);
  const filter = (operators: readonly string[], value: fc.Arbitrary<unknown>) =>
    fc.record({ attribute: fc.constant(name), operator: anyOf(operators), value });
  const listOf = (value: fc.Arbitrary<unknown>) => fc.array(value, { minLength: 1, maxLength: 4 });
  const matches = (value: fc.Arbitrary<unknown>) =>
    fc.oneof(filter(['equal', 'not_equal'], value), filter(['in', 'not_in'], listOf(value)));
  const values = valuesOf(world, attribute);
  switch (attribute.kind) {
    case 'text': {
      const text = fc.oneof({ weight: 6, arbitrary: anyOf(values) }, anyOf(['', 'nowhere', "' OR 1=1 --"]));
      const parts = anyOf([...values.flatMap(partsOf), '%', '_', '\\']);
      return fc.oneof(matches(text), filter(['contains', 'not_contains'], parts));
    }
    case 'platform':
      return matches(anyOf(['android', 'ios', 'web', 1, 2, 3, '2']));
    case 'flag':
      return matches(fc.boolean());
    case 'list':
      return filter(['has_any', 'not_has_any'], listOf(anyOf([...values.flat(), 'nowhere'])));
    case 'number':
    case 'sum': {
      const number = fc.oneof(anyOf(values), fc.integer({ min: -1, max: 200 }));
      return fc.oneof(matches(number), filter(COMPARISONS, number));
    }
    case 'properties':
      return anyOf([...PROPERTY_NAMES, 'deep', 'none']).chain((property) =>
        propertyCondition(values as Properties[], property, { matches, filter }).map((one) => ({
          ...one,
          property_name: property,
        })),
      );
    default: {
      const bound = boundIn(world);
      const month = bound.map((one) => one.slice(0, 7));
      const dates = filter(['on', 'not_on', 'after', 'before'], bound);
      const between = filter(
        ['between_dates'],
        fc
          .tuple(bound, bound)
          .filter(([lower, upper]) => isAccepted(lower, upper))
          .map(([lower, upper]) => ({ lower, upper })),
      );
      return fc.oneof(matches(attribute.unit === 'month' ? fc.oneof(bound, month) : bound), dates, between);
    }
  }
}

const COMPARISONS = ['greater', 'less', 'greater_or_equal', 'less_or_equal'];

interface Shapes {
  readonly matches: (value: fc.Arbitrary<unknown>) => fc.Arbitrary<RequestFilter>;
  readonly filter: (
    operators: readonly string[],
    value: fc.Arbitrary<unknown>,
  ) => fc.Arbitrary<RequestFilter>;
}

function propertyCondition(
  maps: readonly Properties[],
  property: string,
  { matches, filter }: Shapes,
): fc.Arbitrary<RequestFilter> {
  const own = maps.map((map) => propertyValue(map, property)).filter(isScalar);
  const texts = maps.flatMap((map) => propertyText(map, property) ?? []);
  const scalars = anyOf([...own, ...texts, 3, '3', true, 'true', -0]);
  return fc.oneof(
    matches(scalars),
    filter(COMPARISONS, fc.oneof(fc.integer({ min: -5, max: 100 }), anyOf([2.5, 1e21, -0]))),
    filter(['contains', 'not_contains'], anyOf([...texts.flatMap(partsOf), '%', '"'])),
  );
}

const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

/** Whole, beginning, and end of a text, none of them empty. */
function partsOf(value: unknown): string[] {
  const characters = [...String(value)];
  return [String(value), characters.slice(0, 2).join(''), characters.slice(-2).join('')].filter(
    (part) => part !== '',
  );
}

/** What the rows of a world hold of an attribute, each value once. */
function valuesOf(world: World, attribute: Attribute): unknown[] {
  const { sessions, events, visits } = whatIsSeen(world);
  const facts = [...sessions, ...events, ...visits];
  const values = facts.map(attribute.read).flatMap((value) => (Array.isArray(value) ? value : [value]));
  return [...new Set(values)].filter((value) => value !== null);
}

function groupsOf(resource: Resource): fc.Arbitrary<RequestGroup[]> {
  const names = Object.entries(ATTRIBUTES).filter(([, { groups }]) => groups.includes(resource));
  const times = names.filter(([, { kind }]) => kind === 'bucket').map(([name]) => name);
  const others = names.filter(([, { kind }]) => kind !== 'bucket').map(([name]) => name);
  const group = anyOf(others).chain((attribute) => {
    const isProperty = attributeNamed(attribute).kind === 'properties';
    return fc
      .record({
        property_name: isProperty ? anyOf([...PROPERTY_NAMES, 'deep']) : fc.constant(undefined),
        max_group_number: anyOf([undefined, 1, 2, 3, 4, 5, 8]),
      })
      .map((more) => ({ attribute, ...more }) as RequestGroup);
  });
  const keyOf = ({ attribute, property_name }: RequestGroup) => `${attribute} ${property_name}`;
  return (
    fc
      .uniqueArray(
        fc.oneof(
          { weight: 2, arbitrary: group },
          anyOf(times).map((attribute): RequestGroup => ({ attribute })),
        ),
        { selector: keyOf, maxLength: 3 },
      )
      // A list of groups without any is, on screens, no wish for the one by default.
      .filter((groups) => resource !== 'screen' || groups.length > 0)
  );
}

const METRICS: Readonly<
  Record<Resource, { readonly counts: readonly string[]; readonly numbers: readonly string[] }>
> = {
  event: {
    counts: ['event_count', 'event_unique_user_count', 'event_unique_session_count'],
    numbers: ['event_custom_property'],
  },
  session: {
    counts: ['session_count', 'session_unique_user_count', 'session_new_users_count'],
    numbers: [
      'session_duration',
      'session_gesture_count',
      'session_rage_gesture_count',
      'session_responsive_gesture_count',
      'session_unresponsive_gesture_count',
      'session_screen_count',
      'session_unique_screen_count',
    ],
  },
  user: {
    counts: ['user_count', 'session_new_users_count'],
    numbers: [
      'user_session_count',
      'user_session_duration',
      'user_session_screen_count',
      'user_event_count',
      'user_gesture_count',
      'user_rage_gesture_count',
      'user_responsive_gesture_count',
      'user_unresponsive_gesture_count',
    ],
  },
  screen: {
    counts: [
      'screen_visits',
      'unique_users',
      'unique_sessions',
      'rage_gesture_count',
      'entries',
      'exits',
      'exit_rate',
      'bounce_rate',
    ],
    numbers: ['time_on_screen'],
  },
};

function metricsOf(resource: Resource): fc.Arbitrary<RequestMetric[]> {
  const { counts, numbers } = METRICS[resource];
  const count = fc
    .record({
      attribute: anyOf(counts),
      operator: anyOf(resource === 'screen' ? [''] : [undefined, '', 'count']),
    })
    .map((one) => one as RequestMetric);
  const metric = fc.oneof(count, operationOn(numbers));
  return fc.uniqueArray(metric, { minLength: 1, maxLength: 4, selector: fieldOf });
}

function operationOn(numbers: readonly string[]): fc.Arbitrary<RequestMetric> {
  return fc
    .record({
      number: anyOf(numbers),
      operation: anyOf(['sum', 'avg', 'min', 'max']),
      isPrefix: fc.boolean(),
    })
    .map(({ number, operation, isPrefix }) => ({
      ...(isPrefix ? { attribute: `${operation}_${number}` } : { attribute: number, operator: operation }),
      ...(number === 'event_custom_property' && { property_name: 'price' }),
    }));
}

/** Two ways to ask for one metric are one metric. */
const fieldOf = ({ attribute, operator }: RequestMetric): string =>
  operator && operator !== 'count' ? `${operator}_${attribute}` : attribute;

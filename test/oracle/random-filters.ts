import fc from 'fast-check';
import {
  ATTRIBUTES,
  type Attribute,
  attributeNamed,
  propertyText,
  propertyValue,
  type Value,
} from './attributes.ts';
import { visibleFacts } from './facts.ts';
import { anyOf, type Dates, datesIn } from './random-dates.ts';
import { PROPERTY_NAMES } from './random-world.ts';
import type { RequestCondition, RequestFilter, Resource } from './requests.ts';
import type { Properties, World } from './rows.ts';

export type Filters = (resource: Resource, read: 'list' | 'analytics') => fc.Arbitrary<RequestCondition[]>;

/** Up to three filters or groups and usually a window, with values that the world has and some that it almost has. */
export function filtersAbout(world: World): Filters {
  const dates = datesIn(world);
  const valuesOf = valuesIn(world);
  const window = dates.window.map(
    (value): RequestFilter => ({ attribute: 'date_range', operator: 'between_dates', value }),
  );
  const filterBy = (names: fc.Arbitrary<string>): fc.Arbitrary<RequestFilter> =>
    names.chain((name) => {
      const attribute = attributeNamed(name);
      return conditionOn({ attribute, values: valuesOf(attribute), dates }).map((condition) => ({
        attribute: name,
        ...condition,
      }));
    });
  const filterOn = (resource: Resource, read: 'list' | 'analytics') => {
    const names = Object.entries(ATTRIBUTES)
      .filter(([, { filters }]) => filters.includes(resource))
      .filter(([, { kind }]) => kind !== 'lifetime' || read === 'list')
      .map(([name]) => name);
    // Without this, the most used attributes would be rare.
    const common = names.filter((name) =>
      /platform|country|event_name|custom_property|duration|on_day/.test(name),
    );
    return filterBy(fc.oneof(anyOf(names), anyOf(common)));
  };
  const ofNamedEvent = fc
    .tuple(filterBy(fc.constant('event_name')), filterBy(fc.constant('event_custom_property')))
    .filter(([{ operator }]) => !operator.startsWith('not_'))
    .map(([named, { property_name: name = '', operator, value }]) => ({
      ...named,
      property: { name, operator, value },
    }));
  return (resource, read) => {
    const one = groupsOf(
      filterOn(resource, read),
      filterOn('event', 'list'),
      resource === 'event' ? [] : [ofNamedEvent],
    );
    return fc
      .tuple(fc.option(window, { nil: undefined, freq: 8 }), fc.array(one, { maxLength: 3 }), fc.boolean())
      .map(([range, others, isFirst]) => {
        if (range === undefined) return others;
        return isFirst ? [range, ...others] : [...others, range];
      });
  };
}

/** Filters, and groups of them. */
function groupsOf(
  filter: fc.Arbitrary<RequestCondition>,
  ofEvent: fc.Arbitrary<RequestFilter>,
  others: readonly fc.Arbitrary<RequestCondition>[],
): fc.Arbitrary<RequestCondition> {
  const events = fc.array(ofEvent, { minLength: 1, maxLength: 2 });
  const member: fc.Arbitrary<RequestCondition> = fc.oneof(
    { weight: 6, arbitrary: filter },
    events.map((did): RequestCondition => ({ did })),
    events.map((did_not): RequestCondition => ({ did_not })),
    ...others,
  );
  const any = fc.array(member, { minLength: 1, maxLength: 3 }).map((any): RequestCondition => ({ any }));
  return fc.oneof({ weight: 5, arbitrary: member }, any);
}

/** The distinct values of an attribute in a world. */
function valuesIn(world: World): (attribute: Attribute) => readonly Value[] {
  const { sessions, events, visits } = visibleFacts(world);
  const facts = [...sessions, ...events, ...visits];
  const known = new Map<Attribute, readonly Value[]>();
  return (attribute) => {
    const values = known.get(attribute) ?? [
      ...new Set(facts.map(attribute.read).flatMap((value) => (Array.isArray(value) ? value : [value]))),
    ];
    known.set(attribute, values);
    return values.filter((value) => value !== null);
  };
}

type Condition = Omit<RequestFilter, 'attribute'>;

interface Subject {
  readonly attribute: Attribute;
  readonly values: readonly Value[];
  readonly dates: Dates;
}

const COMPARISONS = ['greater', 'less', 'greater_or_equal', 'less_or_equal'];

const condition = (operators: readonly string[], value: fc.Arbitrary<unknown>): fc.Arbitrary<Condition> =>
  fc.record({ operator: anyOf(operators), value });
const listOf = (value: fc.Arbitrary<unknown>) => fc.array(value, { minLength: 1, maxLength: 4 });
const matches = (value: fc.Arbitrary<unknown>): fc.Arbitrary<Condition> =>
  fc.oneof(condition(['equal', 'not_equal'], value), condition(['in', 'not_in'], listOf(value)));
const searches = (texts: readonly unknown[]): fc.Arbitrary<Condition> =>
  condition(['contains', 'not_contains'], anyOf([...texts.flatMap(partsOf), '%', '_', '\\', '"']));

function conditionOn({ attribute, values, dates }: Subject): fc.Arbitrary<Condition> {
  switch (attribute.kind) {
    case 'text': {
      const misses = anyOf(['', 'nowhere', "' OR 1=1 --"]);
      return fc.oneof(
        matches(fc.oneof({ weight: 6, arbitrary: anyOf([...values, '']) }, misses)),
        searches(values),
      );
    }
    case 'platform':
      return matches(anyOf(['android', 'ios', 'web', 1, 2, 3, '2']));
    case 'flag':
      return matches(fc.boolean());
    case 'list':
      return condition(['has_any', 'not_has_any'], listOf(anyOf([...values, 'nowhere'])));
    case 'number':
    case 'sum': {
      const number = fc.oneof(anyOf(values), fc.integer({ min: -1, max: 200 }));
      return fc.oneof(matches(number), condition(COMPARISONS, number));
    }
    case 'properties':
      return anyOf([...PROPERTY_NAMES, 'deep', 'none']).chain((name) =>
        propertyCondition(values as readonly Properties[], name).map((one) => ({
          ...one,
          property_name: name,
        })),
      );
    default:
      return timeCondition(attribute, dates);
  }
}

function propertyCondition(maps: readonly Properties[], name: string): fc.Arbitrary<Condition> {
  const own = maps.map((map) => propertyValue(map, name)).filter(isScalar);
  const texts = maps.flatMap((map) => propertyText(map, name) ?? []);
  return fc.oneof(
    matches(anyOf([...own, ...texts, 3, '3', true, 'true', -0, 1e21])),
    condition(COMPARISONS, fc.oneof(fc.integer({ min: -5, max: 100 }), anyOf([2.5, 1e20, 1e21, -0]))),
    searches(texts),
  );
}

const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

function timeCondition({ unit }: Attribute, { bound, range }: Dates): fc.Arbitrary<Condition> {
  const month = bound.map((one) => one.slice(0, 7));
  return fc.oneof(
    matches(unit === 'month' ? fc.oneof(bound, month) : bound),
    condition(['on', 'not_on', 'after', 'before'], bound),
    condition(['between_dates'], range),
  );
}

/** The whole, beginning and end of a text, without empty ones. */
function partsOf(value: unknown): string[] {
  const characters = [...String(value)];
  const parts = [String(value), characters.slice(0, 2).join(''), characters.slice(-2).join('')];
  return parts.filter((part) => part !== '');
}

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Columns, event, range, type Sample, sample, session } from './sample-app.ts';

/** The same questions, answered by plain loops over the rows that were written. */

const START = Date.parse('2026-03-20T00:00:00Z');
const DAYS = 20;
const ZONE = 'Europe/Berlin';

// A fixed mixture without randomness of its own: strides that share no factor spread every combination.
const pick = <T>(values: readonly T[], at: number): T => values[at % values.length] as T;
const sessions = Array.from({ length: 240 }, (_, at) =>
  session({
    user_id: `user${(at * 7) % 60}`,
    session_number: 1 + Math.floor(at / 60),
    recorded_at: new Date(START + ((at * 7_919_000) % (DAYS * 86_400)) * 1000).toISOString(),
    platform: pick(['android', 'ios', 'web'], at * 5),
    country: pick(['Chad', 'Cuba', 'Fiji', 'Peru', 'Togo', null], at * 11),
    duration_sec: (at * 13) % 100,
    user_properties: at % 3 === 0 ? {} : { plan: pick(['free', 'pro', 3, 10], at) },
  }),
);
const events = sessions.flatMap((of, at) =>
  Array.from({ length: at % 4 }, (_, nth) =>
    event(of, {
      event_name: pick(['open', 'buy', 'leave'], at + nth),
      properties: { price: (at * nth) % 17 },
    }),
  ),
);

let shop: Sample;
beforeAll(async () => {
  shop = await sample({ sessions, events, zone: ZONE });
});
afterAll(() => shop.close());

interface Fact {
  readonly at: number;
  readonly of: Columns;
  readonly own: Columns;
}
const sessionById = new Map(sessions.map((of) => [of.session_id, of]));
const FACTS: Readonly<Record<'session' | 'event', Fact[]>> = {
  session: sessions.map((of) => ({ at: Date.parse(String(of.recorded_at)), of, own: of })),
  event: events.map((own) => {
    const of = sessionById.get(own.session_id ?? '') ?? {};
    return { at: Date.parse(String(own.recorded_at)), of, own };
  }),
};

const local = new Intl.DateTimeFormat('sv', { timeZone: ZONE, dateStyle: 'short' });
const clock = new Intl.DateTimeFormat('sv', { timeZone: ZONE, hour: '2-digit', timeZoneName: 'longOffset' });
const KEYS: Readonly<Record<string, (fact: Fact) => string | null>> = {
  device_platform: ({ of }) => String(of.platform),
  device_country: ({ of }) => (of.country as string | null) ?? null,
  session_uploadedon_day: ({ at }) => local.format(at),
  session_uploaded_month: ({ at }) => local.format(at).slice(0, 7),
  session_uploaded_week: ({ at }) => {
    const day = new Date(`${local.format(at)}T00:00:00Z`);
    day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
    return day.toISOString().slice(0, 10);
  },
  session_uploadedon_hour: ({ at }) => {
    const [hour, offset] = clock.format(at).split(' GMT');
    return `${local.format(at)}T${hour?.slice(0, 2)}:00:00${offset?.replace('−', '-')}`;
  },
};

interface TestFilter {
  readonly filter: object;
  readonly holds: (fact: Fact) => boolean;
}
const anyOf = <T>(values: readonly T[]) => fc.constantFrom(...values);
const plan = ({ of }: Fact) => (of.user_properties as Record<string, unknown>).plan;
const filterArbitrary: fc.Arbitrary<TestFilter> = fc.oneof(
  fc.tuple(anyOf(['equal', 'not_equal']), anyOf(['android', 'ios', 'web'])).map(([operator, value]) => ({
    filter: { attribute: 'device_platform', operator, value },
    holds: ({ of }: Fact) => (of.platform === value) === (operator === 'equal'),
  })),
  fc
    .tuple(anyOf(['in', 'not_in']), fc.subarray(['Chad', 'Cuba', 'Peru'], { minLength: 1 }))
    .map(([operator, value]) => ({
      filter: { attribute: 'device_country', operator, value },
      holds: ({ of }: Fact) => value.includes(String(of.country)) === (operator === 'in'),
    })),
  fc
    .tuple(anyOf(['greater', 'less_or_equal']), fc.integer({ min: 0, max: 100 }))
    .map(([operator, value]) => ({
      filter: { attribute: 'session_duration', operator, value },
      holds: ({ of }: Fact) => Number(of.duration_sec) > value === (operator === 'greater'),
    })),
  fc.tuple(anyOf(['equal', 'not_equal']), anyOf(['free', 'pro', 3])).map(([operator, value]) => ({
    filter: { attribute: 'user_custom_property', property_name: 'plan', operator, value },
    holds: (fact: Fact) => (plan(fact) === value) === (operator === 'equal'),
  })),
  fc.integer({ min: 0, max: 10 }).map((value) => ({
    filter: { attribute: 'user_custom_property', property_name: 'plan', operator: 'greater', value },
    holds: (fact: Fact) => typeof plan(fact) === 'number' && Number(plan(fact)) > value,
  })),
  fc.tuple(anyOf(['equal', 'not_equal']), anyOf(['open', 'buy'])).map(([operator, value]) => ({
    filter: { attribute: 'event_name', operator, value },
    holds: ({ of, own }: Fact) => {
      const names = own === of ? events.filter((one) => one.session_id === of.session_id) : [own];
      return names.some((one) => one.event_name === value) === (operator === 'equal');
    },
  })),
);

const questionArbitrary = fc.record({
  resource: anyOf(['session', 'event'] as const),
  filters: fc.array(filterArbitrary, { maxLength: 3 }),
  groups: fc.subarray(Object.keys(KEYS), { maxLength: 2 }),
  maximum: fc.integer({ min: 1, max: 7 }),
  first: fc.integer({ min: 0, max: DAYS - 1 }),
  length: fc.integer({ min: 1, max: 12 }),
});
type TestQuestion = typeof questionArbitrary extends fc.Arbitrary<infer T> ? T : never;

const dayOf = (day: number) => new Date(START + day * 86_400_000).toISOString().slice(0, 10);
const isTime = (attribute: string) => attribute.startsWith('session_uploaded');

/** What the service should answer: by group, the number of facts and of their users; empty buckets left out. */
function expected({
  resource,
  filters,
  groups,
  maximum,
  first,
  length,
}: TestQuestion): Map<string, [number, number]> {
  const [lower, upper] = [dayOf(first), dayOf(first + length - 1)];
  const chosen = FACTS[resource].filter((fact) => {
    const day = local.format(fact.at);
    return day >= lower && day <= upper && filters.every(({ holds }) => holds(fact));
  });
  const keep = groups.map((attribute) => {
    const sizes = new Map<string | null, number>();
    for (const fact of chosen) {
      const key = KEYS[attribute]?.(fact) ?? null;
      sizes.set(key, (sizes.get(key) ?? 0) + 1);
    }
    const ranked = [...sizes].sort(([a, m], [b, n]) => n - m || ((a ?? '~') < (b ?? '~') ? -1 : 1));
    return isTime(attribute) ? undefined : new Set(ranked.slice(0, maximum).map(([key]) => key));
  });
  const found = new Map<string, Fact[]>();
  for (const fact of chosen) {
    const key = groups.map((attribute, at) => {
      const value = KEYS[attribute]?.(fact) ?? null;
      return (keep[at]?.has(value) ?? true) ? value : 'others';
    });
    found.set(JSON.stringify(key), [...(found.get(JSON.stringify(key)) ?? []), fact]);
  }
  const users = (facts: Fact[]) => new Set(facts.map(({ own }) => own.user_id)).size;
  return new Map([...found].map(([key, facts]) => [key, [facts.length, users(facts)]]));
}

test('random questions are answered as plain loops answer them', async () => {
  await fc.assert(
    fc.asyncProperty(questionArbitrary, async (question) => {
      const { resource, groups, maximum, first, length } = question;
      const metrics =
        resource === 'event'
          ? ['event_count', 'event_unique_user_count']
          : ['session_count', 'session_unique_user_count'];
      const { body } = await shop.get(`/v2/${resource}/analytics`, {
        filters: [
          range(dayOf(first), dayOf(first + length - 1)),
          ...question.filters.map(({ filter }) => filter),
        ],
        group_by: groups.map((attribute) => ({
          attribute,
          ...(!isTime(attribute) && { max_group_number: maximum }),
        })),
        aggregation: metrics.map((attribute) => ({ attribute })),
      });
      expect(body.success).toBe(true);
      const rows = body.data.map(
        (row) => [JSON.stringify(groups.map((key) => row[key])), metrics.map((key) => row[key])] as const,
      );
      const filled = rows.filter(([, [count]]) => count !== 0);
      expect(new Map(filled)).toEqual(expected(question));
      expect(new Set(rows.map(([key]) => key)).size).toBe(rows.length);
    }),
    { numRuns: 150 },
  );
});

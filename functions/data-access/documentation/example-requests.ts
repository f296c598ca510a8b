import type { Read, Resource } from '../../../shared/contract/attributes.ts';

/** The app in all examples. */
export const EXAMPLE_APP = 'shop';

/** A request that works in both styles; `request` excludes credentials and pages. */
export interface Example {
  readonly name: string;
  readonly summary: string;
  readonly resource: Resource;
  readonly read: Read;
  readonly request: Readonly<Record<string, unknown>>;
}

const range = (lower: string, upper: string) => ({
  attribute: 'date_range',
  operator: 'between_dates',
  value: { lower, upper },
});
const MARCH = range('2026-03-01', '2026-03-31');
const PURCHASES = { attribute: 'event_name', operator: 'equal', value: 'purchase' };

const EXAMPLES: readonly Example[] = [
  {
    name: 'purchases',
    summary: 'Large purchases in a month',
    resource: 'event',
    read: 'list',
    request: {
      filters: [
        PURCHASES,
        { attribute: 'event_custom_property', property_name: 'price', operator: 'greater', value: 30 },
        MARCH,
      ],
    },
  },
  {
    name: 'funnelStep',
    summary: 'One step of a funnel, with the default metrics',
    resource: 'event',
    read: 'analytics',
    request: { filters: [PURCHASES, MARCH] },
  },
  {
    name: 'longOnAndroid',
    summary: 'Long sessions on Android',
    resource: 'session',
    read: 'list',
    request: {
      filters: [
        { attribute: 'device_platform', operator: 'equal', value: 'android' },
        { attribute: 'session_duration', operator: 'greater', value: 300 },
        MARCH,
      ],
    },
  },
  {
    name: 'byPlatform',
    summary: 'Sessions and their average duration by platform',
    resource: 'session',
    read: 'analytics',
    request: {
      filters: [MARCH],
      group_by: [{ attribute: 'device_platform' }],
      aggregation: [{ attribute: 'session_count' }, { attribute: 'session_duration', operator: 'avg' }],
    },
  },
  {
    name: 'germans',
    summary: 'Users last seen in Germany, with usage and location',
    resource: 'user',
    read: 'list',
    request: {
      filters: [{ attribute: 'device_country', operator: 'in', value: ['Germany'] }, MARCH],
      show_only: ['usage', 'location'],
    },
  },
  {
    name: 'byCountry',
    summary: 'Users and their rage gestures by country',
    resource: 'user',
    read: 'analytics',
    request: {
      filters: [MARCH],
      group_by: [{ attribute: 'device_country' }],
      aggregation: [{ attribute: 'user_count' }, { attribute: 'user_rage_gesture_count', operator: 'avg' }],
    },
  },
  {
    name: 'screens',
    summary: 'Visits to each screen, with the default metrics',
    resource: 'screen',
    read: 'analytics',
    request: { filters: [MARCH] },
  },
];

export const examplesOf = ({ resource, read }: Pick<Example, 'resource' | 'read'>): Example[] =>
  EXAMPLES.filter((example) => example.resource === resource && example.read === read);

export const namedExamples = (
  examples: readonly Example[],
  exampleValue: (example: Example) => unknown,
): Record<string, { summary: string; value: unknown }> =>
  Object.fromEntries(
    examples.map((example) => [example.name, { summary: example.summary, value: exampleValue(example) }]),
  );

export const exampleBody = ({ request }: Example) => ({ app_id: EXAMPLE_APP, ...request });

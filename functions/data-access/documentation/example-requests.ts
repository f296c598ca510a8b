import type { Endpoint } from '../endpoints/endpoints.ts';

/** The app in all examples. */
export const EXAMPLE_APP = 'shop';

/** A request that works in both styles; `request` excludes credentials and pages. */
export interface Example {
  readonly summary: string;
  readonly request: Readonly<Record<string, unknown>>;
}

const MARCH = {
  attribute: 'date_range',
  operator: 'between_dates',
  value: { lower: '2026-03-01', upper: '2026-03-31' },
};
const PURCHASES = { attribute: 'event_name', operator: 'equal', value: 'purchase' };

/** By the resource and the read of an endpoint. */
const EXAMPLES: Readonly<Record<string, Example>> = {
  'event list': {
    summary: 'Large purchases in a month',
    request: {
      filters: [
        PURCHASES,
        { attribute: 'event_custom_property', property_name: 'price', operator: 'greater', value: 30 },
        MARCH,
      ],
    },
  },
  'event analytics': {
    summary: 'One step of a funnel, with the default metrics',
    request: { filters: [PURCHASES, MARCH] },
  },
  'event catalogue': { summary: 'What the app sends', request: {} },
  'event funnel': {
    summary: 'From the cart to a purchase within a day, by the day of the cart',
    request: {
      ...{ steps: [{ event_name: 'add_to_cart' }, { event_name: 'purchase' }], within_minutes: 1440 },
      ...{ filters: [MARCH], group_by: [{ attribute: 'event_uploadedon_day' }] },
    },
  },
  'event retention': {
    summary: 'Users by the week of their first event, and who buys one and four weeks later',
    request: {
      ...{ return: { event_name: 'purchase' }, days: [7, 28] },
      ...{ filters: [MARCH], group_by: [{ attribute: 'event_uploaded_week' }] },
    },
  },
  'session list': {
    summary: 'Long sessions on Android',
    request: {
      filters: [
        { attribute: 'device_platform', operator: 'equal', value: 'android' },
        { attribute: 'session_duration', operator: 'greater', value: 300 },
        MARCH,
      ],
    },
  },
  'session analytics': {
    summary: 'Sessions and their average duration by platform',
    request: {
      filters: [MARCH],
      group_by: [{ attribute: 'device_platform' }],
      aggregation: [{ attribute: 'session_count' }, { attribute: 'session_duration', operator: 'avg' }],
    },
  },
  'user list': {
    summary: 'Users last seen in Germany, with usage and location',
    request: {
      filters: [{ attribute: 'device_country', operator: 'in', value: ['Germany'] }, MARCH],
      show_only: ['usage', 'location'],
    },
  },
  'user analytics': {
    summary: 'Users and their rage gestures by country',
    request: {
      filters: [MARCH],
      group_by: [{ attribute: 'device_country' }],
      aggregation: [{ attribute: 'user_count' }, { attribute: 'user_rage_gesture_count', operator: 'avg' }],
    },
  },
  'screen analytics': {
    summary: 'Visits to each screen, with the default metrics',
    request: { filters: [MARCH] },
  },
};

export function exampleOf({ resource, read }: Pick<Endpoint, 'resource' | 'read'>): Example {
  const example = EXAMPLES[`${resource} ${read}`];
  if (!example) throw new TypeError('an endpoint without an example');
  return example;
}

export const exampleBody = ({ request }: Example) => ({ app_id: EXAMPLE_APP, ...request });

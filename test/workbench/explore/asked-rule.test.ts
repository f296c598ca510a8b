import { expect, test } from 'vitest';
import { ruleIn } from '../../../workbench/explore/asked-rule.ts';
import { ruleNamed } from '../../fixtures/builders.ts';

const DEPLOYED = [ruleNamed('old', { app: 'shop', owner: 'payments', zone: 'Europe/Berlin' })];
const named = (value: string) => ({ attribute: 'event_name', operator: 'equal', value });

test.each<{ name: string; asked: Record<string, string>; entry: object }>([
  {
    name: 'an event, outside its usual range',
    asked: { watch: 'purchase' },
    entry: {
      ...{ id: 'shop-purchase', title: 'Purchase', app: 'shop', owner: 'payments', zone: 'Europe/Berlin' },
      ...{ every: 'day at 07:00', metric: 'event_count', filters: [named('purchase')], anomaly: true },
    },
  },
  {
    name: 'filters, a fall and hours',
    asked: {
      ...{ watch: 'add to cart', grain: 'hour', change: '-50%', attribute1: 'device_country' },
      ...{ operator1: 'in', value1: 'Spain, Portugal', attribute3: 'event_custom_property:plan' },
      ...{ operator3: 'equal', value3: 'pro' },
    },
    entry: {
      title: 'Add to cart, Spain,Portugal, pro',
      every: 'hour',
      filters: [
        { attribute: 'device_country', operator: 'in', value: ['Spain', 'Portugal'] },
        { attribute: 'event_custom_property', property_name: 'plan', operator: 'equal', value: 'pro' },
        named('add to cart'),
      ],
      fire: { change: { below: '-50%' } },
    },
  },
  {
    name: 'a metric by two groups, and a rise without a percent sign',
    asked: { watch: 'new_users', group: 'device_platform, app_version', change: '+30' },
    entry: {
      metric: 'new_users',
      group_by: ['device_platform', 'app_version'],
      fire: { change: { above: '30%' } },
    },
  },
  {
    name: 'a ratio with a title',
    asked: { watch: 'purchase / view_item', title: 'Conversion' },
    entry: { id: 'shop-conversion', title: 'Conversion', ratio: { of: 'purchase', to: 'view_item' } },
  },
  {
    name: 'a ratio without spaces',
    asked: { watch: 'purchase/view_item' },
    entry: { ratio: { of: 'purchase', to: 'view_item' } },
  },
  {
    name: 'an event with a slash in its name',
    asked: { watch: 'app/opened' },
    entry: { filters: [named('app/opened')] },
  },
])('$name is a rule', ({ asked, entry }) => {
  expect(ruleIn({ app: 'shop', ...asked }, DEPLOYED, ['app/opened'])).toMatchObject({ entry });
});

test.each<[string, Record<string, string>, string, RegExp]>([
  ['a change in words', { change: 'lots' }, 'change', /write a percentage with its sign/],
  [
    'an unknown attribute',
    { attribute2: 'cuntry', value2: 'x' },
    'attribute2',
    /did you mean "device_country"/,
  ],
  [
    'an unfit operator',
    { attribute1: 'device_country', operator1: 'greater', value1: '5' },
    'attribute1',
    /greater/,
  ],
  ['a fall of everything', { change: '-100%' }, 'change', /never fires/],
  [
    'a second event name',
    { attribute3: 'event_name', operator3: 'equal', value3: 'search' },
    'attribute3',
    /chosen above/,
  ],
  ['an unknown group', { group: 'contry' }, 'group', /unknown attribute "contry"/],
  ['a ratio of one event', { watch: 'a / a' }, 'watch', /two different events/],
])('%s is explained by its field', (_, asked, field, says) => {
  const found = ruleIn({ app: 'shop', watch: 'purchase', ...asked }, [], []);
  expect(found).toEqual({ faults: { [field]: expect.stringMatching(says) } });
});

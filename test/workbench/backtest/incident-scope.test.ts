import { describe, expect, test } from 'vitest';
import type { Filter } from '../../../shared/contract/filters.ts';
import { OTHERS } from '../../../shared/contract/grouping.ts';
import { buildRule, type Rule, ruleSetEntrySchema } from '../../../shared/rules/rule.ts';
import {
  type About,
  concerns,
  type Direction,
  directionOf,
  touches,
} from '../../../workbench/backtest/incident-scope.ts';
import { ruleNamed } from '../../fixtures/builders.ts';

const equal = (attribute: Filter['attribute'], value: string): Filter => ({
  ...{ attribute, operator: 'equal', value },
});
const event = (name: string) => equal('event_name', name);
const country = (name: string) => equal('device_country', name);
const version = (name: string) => equal('app_version', name);

/** An incident of the app on counts of events. */
const counts = (filters: Filter[], direction?: Direction): About => ({
  ...{ app: 'demo', metrics: ['event_count'], filters },
  ...(direction && { direction }),
});
const named = (rest: object): About => ({ rules: ['purchases'], ...rest });

const rule = (keys: Record<string, unknown> = {}) => ruleNamed('purchases', keys);
const byCountry = rule({ group_by: 'device_country' });
const byVersion = rule({ group_by: 'app_version' });
const ratio = rule({ filters: [], ratio: { of: 'purchase', to: 'begin_checkout' } });
const funnel = rule({ filters: [], funnel: ['search', 'add_to_cart', 'purchase'] });
const either: Rule = buildRule(
  ruleSetEntrySchema.parse({
    ...{ id: 'either', title: 'Either', app: 'demo', owner: 'shop', every: 'day at 01:00' },
    any_of: ['purchases', 'searches'],
  }),
);

interface Case {
  about: About;
  on?: Rule;
  segment?: string;
  watched?: string[];
  /** The direction of the alert; a fall by default. */
  way?: Direction | null;
}

const isRight = ({ about, on = rule(), segment, watched = [], way = 'fall' }: Case) =>
  touches(about, { rule: on, segment: segment ?? null, watched: new Set(watched) }, way);

describe('an incident explains an alert of', () => {
  test.each<[string, Case]>([
    ['the event that stopped', { about: counts([event('purchase')], 'fall') }],
    ['all events if one stopped', { about: counts([event('purchase')]), on: rule({ filters: [] }) }],
    ['an event if all stopped in one country', { about: counts([country('Germany')]) }],
    ['the whole if one segment fell', { about: counts([event('purchase'), country('Germany')]) }],
    [
      'the segment that fell',
      { about: counts([event('purchase'), country('Germany')]), on: byCountry, segment: 'Germany' },
    ],
    [
      'another dimension: a version if a country fell',
      { about: counts([country('Germany')]), on: byVersion, segment: '5.1.0' },
    ],
    [
      'one of the events of a list',
      { about: counts([event('a')]), on: rule({ filters: [inList('a', 'b')] }) },
    ],
    [
      'the other values if its segment is not watched',
      { about: counts([country('Malta')]), on: byCountry, segment: OTHERS, watched: ['Germany'] },
    ],
    [
      'a platform by its number',
      {
        about: counts([equal('device_platform', 'android')]),
        on: rule({ filters: [{ attribute: 'device_platform', operator: 'equal', value: 1 }] }),
      },
    ],
    [
      'sessions with another event, because they can have both',
      {
        about: { app: 'demo', metrics: ['sessions'], filters: [event('search')] },
        on: rule({ metric: 'sessions' }),
      },
    ],
    ['one of several metrics', { about: { app: 'demo', metrics: ['sessions', 'event_count'] } }],
    ['any metric', { about: { app: 'demo', metrics: 'any' }, on: rule({ metric: 'sessions' }) }],
    ['either direction if none is given', { about: counts([]), way: 'rise' }],
    [
      'a ratio that falls because its numerator falls',
      { about: counts([event('purchase')], 'fall'), on: ratio },
    ],
    [
      'a ratio that rises because its denominator falls',
      { about: counts([event('begin_checkout')], 'fall'), on: ratio, way: 'rise' },
    ],
    [
      'the step to an event that fell',
      { about: counts([event('purchase')], 'fall'), on: funnel, segment: 'add_to_cart → purchase' },
    ],
    [
      'the step from an event that fell, which rises',
      {
        ...{ about: counts([event('add_to_cart')], 'fall'), on: funnel },
        ...{ segment: 'add_to_cart → purchase', way: 'rise' },
      },
    ],
    ['a rule that it names', { about: named({}), way: 'rise' }],
    ['a segment that it names', { about: named({ segment: 'Germany' }), on: byCountry, segment: 'Germany' }],
    ['a ratio that it names', { about: named({ direction: 'fall' }), on: ratio }],
    ['a composite rule that it names', { about: { rules: ['either'] }, on: either, way: null }],
  ])('%s', (_, each) => {
    expect(isRight(each)).toBe(true);
  });
});

describe('an incident does not explain an alert of', () => {
  test.each<[string, Case]>([
    ['another event', { about: counts([event('search')], 'fall') }],
    ['another app', { about: { app: 'other', metrics: 'any' } }],
    ['another metric', { about: { app: 'demo', metrics: ['sessions'] } }],
    ['anything if it names only its app', { about: { app: 'demo' } }],
    ['another segment', { about: counts([version('5.2.0')]), on: byVersion, segment: '5.1.0' }],
    ['the segment without a value', { about: counts([version('5.2.0')]), on: byVersion, segment: '' }],
    [
      'the other values if its segment is watched',
      { about: counts([country('Malta')]), on: byCountry, segment: OTHERS, watched: ['Germany', 'Malta'] },
    ],
    [
      'another segment by its filters',
      { about: counts([country('Germany')]), on: rule(filtered('Austria')) },
    ],
    ['a rise if the incident is a fall', { about: counts([event('purchase')], 'fall'), way: 'rise' }],
    [
      'a ratio that rises although its numerator falls',
      { about: counts([event('purchase')], 'fall'), on: ratio, way: 'rise' },
    ],
    ['a ratio of other events', { about: counts([event('search')]), on: ratio }],
    ['a ratio whose events both fall', { about: counts([country('Germany')], 'fall'), on: ratio }],
    [
      'another step',
      {
        about: counts([event('search')], 'fall'),
        on: funnel,
        segment: 'add_to_cart → purchase',
        way: 'rise',
      },
    ],
    ['a rule that it does not name', { about: { rules: ['searches'] } }],
    ['another segment than named', { about: named({ segment: 'Malta' }), on: byCountry, segment: 'Germany' }],
    ['another direction than named', { about: named({ direction: 'fall' }), way: 'rise' }],
    [
      'another filter than named',
      { about: named({ filters: [country('Malta')] }), on: byCountry, segment: 'Germany' },
    ],
    ['a composite rule by its metric', { about: { app: 'demo', metrics: 'any' }, on: either, way: null }],
  ])('%s', (_, each) => {
    expect(isRight(each)).toBe(false);
  });
});

describe('a filter excludes incidents whose values it does not match', () => {
  const filter = (operator: string, value: unknown, attribute = 'app_version') =>
    ({ attribute, operator, value }) as Filter;
  test.each<[Filter, boolean]>([
    [filter('not_equal', '5.2.0'), false],
    [filter('not_equal', '5.1.0'), true],
    [filter('not_in', ['5.1.0', '5.2.0']), false],
    [filter('in', ['5.1.0', '5.3.0']), false],
    [filter('contains', '5.2'), true],
    [filter('contains', '6.'), false],
    [filter('not_contains', '5.2'), false],
    [filter('greater', 100, 'session_duration'), true],
  ])('%j', (own, isRightOf) => {
    expect(isRight({ about: counts([version('5.2.0')]), on: rule({ filters: [own] }) })).toBe(isRightOf);
  });

  const screens = (operator: string, ...value: string[]) => filter(operator, value, 'session_screen_list');
  test.each<[Filter, Filter, boolean]>([
    [screens('has_any', 'Checkout'), screens('has_any', 'Home'), true],
    [screens('has_any', 'Checkout'), screens('not_has_any', 'Checkout', 'Home'), false],
    [screens('has_any', 'Checkout', 'Cart'), screens('not_has_any', 'Checkout'), true],
    [filter('greater', 100, 'session_duration'), filter('equal', 60, 'session_duration'), false],
    [filter('less_or_equal', 60, 'session_duration'), filter('equal', 60, 'session_duration'), true],
    [filter('greater_or_equal', 60, 'session_duration'), filter('in', [59, 60], 'session_duration'), true],
    [filter('less', 60, 'session_duration'), filter('equal', 60, 'session_duration'), false],
  ])('%j and %j', (theirs, own, isRightOf) => {
    const about: About = { app: 'demo', metrics: ['sessions'], filters: [theirs] };
    expect(isRight({ about, on: rule({ metric: 'sessions', filters: [own] }) })).toBe(isRightOf);
  });

  test('properties of different names are independent', () => {
    const property = (property_name: string, value: string) =>
      ({ attribute: 'event_custom_property', property_name, operator: 'equal', value }) satisfies Filter;
    const about = counts([property('plan', 'free')]);
    expect(isRight({ about, on: rule({ filters: [property('plan', 'paid')] }) })).toBe(false);
    expect(isRight({ about, on: rule({ filters: [property('kind', 'paid')] }) })).toBe(true);
  });
});

test('an incident concerns a rule if it touches any segment, in any direction', () => {
  const whole = { segment: null, watched: new Set<string>() };
  expect(concerns(counts([country('Germany')], 'rise'), { rule: byCountry, ...whole })).toBe(true);
  expect(concerns(counts([event('search')]), { rule: byCountry, ...whole })).toBe(false);
});

test.each<[string, Record<string, unknown>, { current: number; change: number | null }, Direction]>([
  ['a fall', {}, { current: 40, change: -0.6 }, 'fall'],
  ['a rise', {}, { current: 160, change: 0.6 }, 'rise'],
  ['a rise from 0', {}, { current: 40, change: null }, 'rise'],
  [
    'too high, although it was higher before',
    { current: { above: 30 } },
    { current: 40, change: -0.1 },
    'rise',
  ],
  ['too low, although it was lower before', { current: { below: 50 } }, { current: 40, change: 0.1 }, 'fall'],
])('directionOf: %s', (_, fire, figures, direction) => {
  const bounds = Object.keys(fire).length > 0 ? { fire } : {};
  expect(directionOf(rule(bounds), figures)).toBe(direction);
});

test('directionOf is null for a composite rule', () => {
  expect(directionOf(either, { current: null, change: null })).toBeNull();
});

function inList(...value: string[]): Filter {
  return { attribute: 'event_name', operator: 'in', value };
}

function filtered(value: string) {
  return { filters: [country(value)] };
}

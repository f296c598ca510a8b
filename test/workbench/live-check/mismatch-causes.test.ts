import { expect, test } from 'vitest';
import type { Values } from '../../../workbench/live-check/known-values.ts';
import { causeOf } from '../../../workbench/live-check/mismatch-causes.ts';
import { ruleNamed } from '../../fixtures/builders.ts';

const seen = (counts: Record<string, number>, isWhole = true): Values => ({
  ...{ kind: 'seen', isWhole },
  counts: new Map(Object.entries(counts)),
});
const NONE = seen({ '': 900 });
const KNOWN: Record<string, Values> = {
  event_name: seen({ purchase: 20, search: 500, sign_up: 3 }),
  device_country: seen({ '': 4, Germany: 500, France: 300 }),
  device_platform: seen({ ios: 500, web: 90 }),
  app_version: NONE,
  device_city: NONE,
};

const equal = (attribute: string, value: string) => ({ attribute, operator: 'equal', value });
const anyOf = (attribute: string, ...value: string[]) => ({ attribute, operator: 'in', value });

test.each<[string, Record<string, unknown>, string, string, Record<string, Values>?]>([
  [
    'an event with no similar name',
    { filters: [equal('event_name', 'refund_requested')] },
    'filters.0.value',
    'demo has sent no event "refund_requested"; it has search, purchase, sign_up',
  ],
  [
    'a ratio of an unknown event',
    { filters: [], ratio: { of: 'purchse', to: 'search' } },
    'ratio.of',
    'demo has sent no event "purchse"; did you mean "purchase"?',
  ],
  [
    'a step of a funnel',
    { metric: undefined, filters: [], funnel: ['search', 'Sign_up'] },
    'funnel.1',
    'demo has sent no event "Sign_up"; did you mean "sign_up"?',
  ],
  [
    'a filter of one side of a ratio',
    {
      ...{ metric: undefined, filters: [] },
      ratio: {
        of: { metric: 'event_count', filters: [equal('event_name', 'Search')] },
        to: { metric: 'sessions' },
      },
    },
    'ratio.of.filters.0.value',
    'demo has sent no event "Search"; did you mean "search"?',
  ],
  [
    'a ratio of events that exist',
    { filters: [], ratio: { of: 'purchase', to: 'search' } },
    'ratio',
    'purchase and search do not occur together',
  ],
  [
    'a value that does not exist',
    { filters: [equal('device_country', 'Germnay')] },
    'filters.0.value',
    'demo has had no device_country "Germnay"; did you mean "Germany"?',
  ],
  [
    'values that all do not exist',
    { filters: [anyOf('device_country', 'Peru', 'Chile')] },
    'filters.0.value.0',
    'demo has had no device_country "Peru"; it has Germany, France',
  ],
  [
    'filters that exclude one another',
    { filters: [equal('event_name', 'purchase'), equal('device_country', 'France')] },
    'filters',
    'no event of demo passes all its filters',
  ],
  [
    'a filter without names to choose from',
    { metric: 'sessions', filters: [{ attribute: 'session_duration', operator: 'greater', value: 9_000 }] },
    'filters',
    'nothing of demo passes its filter',
  ],
  [
    'a metric that is not recorded',
    { metric: 'rage_gestures', filters: [] },
    'metric',
    'its value was 0 or missing',
  ],
  [
    'a name among too many to list',
    { filters: [equal('event_name', 'rare')] },
    'filters',
    'nothing of demo passes its filter',
    { event_name: seen({ search: 1 }, false) },
  ],
  [
    'a name without any rows',
    { filters: [equal('event_name', 'rare')] },
    'filters',
    'nothing of demo passes its filter',
    { event_name: seen({}) },
  ],
  [
    'a name that could not be read',
    { filters: [equal('event_name', 'rare')] },
    'filters',
    'nothing of demo passes its filter',
    { event_name: { kind: 'unread', reason: 'it is down' } },
  ],
])('explains %s', (_name, overrides, path, words, known = KNOWN) => {
  const cause = causeOf(ruleNamed('a', overrides), (attribute) => known[attribute]);
  expect([cause.path.join('.'), cause.words]).toEqual([path, words]);
});

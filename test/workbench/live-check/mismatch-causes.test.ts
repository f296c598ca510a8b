import { expect, test } from 'vitest';
import { causeOf } from '../../../workbench/live-check/mismatch-causes.ts';
import { ruleNamed } from '../../fixtures/builders.ts';

const KNOWN: Record<string, string[]> = {
  event_name: ['search', 'purchase', 'sign_up'],
  device_country: ['Germany', 'France', ''],
  device_platform: ['ios', 'web'],
  app_version: [''],
};

const equal = (attribute: string, value: string) => ({ attribute, operator: 'equal', value });
const anyOf = (attribute: string, ...value: string[]) => ({ attribute, operator: 'in', value });

test.each<[string, Record<string, unknown>, string, string, Record<string, string[]>?]>([
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
    'its value was 0 or missing',
  ],
  [
    'a value that does not exist',
    { filters: [equal('device_country', 'Germnay')] },
    'filters.0.value',
    'demo has sent no device_country "Germnay"; did you mean "Germany"?',
  ],
  [
    'values that all do not exist',
    { filters: [anyOf('device_country', 'Peru', 'Chile')] },
    'filters.0.value.0',
    'demo has sent no device_country "Peru"; it has Germany, France',
  ],
  [
    'filters that exclude one another',
    { filters: [equal('event_name', 'purchase'), equal('device_country', 'France')] },
    'filters',
    'nothing of demo passes all its filters',
  ],
  [
    'a filter without names to choose from',
    { metric: 'sessions', filters: [{ attribute: 'session_duration', operator: 'greater', value: 9_000 }] },
    'filters',
    'nothing of demo passes all its filters',
  ],
  [
    'a metric that is not recorded',
    { metric: 'rage_gestures', filters: [] },
    'metric',
    'its value was 0 or missing',
  ],
  [
    'a group that is not sent',
    { filters: [], group_by: 'app_version' },
    'group_by',
    'demo has sent no app_version',
  ],
  [
    'a name that could not be read',
    { filters: [equal('event_name', 'rare')] },
    'filters',
    'nothing of demo passes all its filters',
    {},
  ],
])('explains %s', async (_name, overrides, path, words, known = KNOWN) => {
  const cause = await causeOf(ruleNamed('a', overrides), async (attribute) => known[attribute]);
  expect([cause.path.join('.'), cause.words]).toEqual([path, words]);
});

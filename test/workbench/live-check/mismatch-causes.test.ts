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
const on = (...filters: object[]) => ({ filters });
const LONG = { attribute: 'session_duration', operator: 'greater', value: 9_000 };
const SIDES = {
  of: { metric: 'event_count', filters: [equal('event_name', 'Search')] },
  to: { metric: 'sessions' },
};
const ALL = 'nothing of demo passes all its filters';
const NO_VALUE = 'its value was 0 or missing';
const NO_EVENT = 'demo has sent no event';

test.each<[overrides: Record<string, unknown>, path: string, words: string, known?: typeof KNOWN]>([
  [
    on(equal('event_name', 'refund_requested')),
    'filters.0.value',
    `${NO_EVENT} "refund_requested"; it has search, purchase, sign_up`,
  ],
  [
    { ...on(), ratio: { of: 'purchse', to: 'search' } },
    'ratio.of',
    `${NO_EVENT} "purchse"; did you mean "purchase"?`,
  ],
  [
    { ...on(), metric: undefined, funnel: ['search', 'Sign_up'] },
    'funnel.1',
    `${NO_EVENT} "Sign_up"; did you mean "sign_up"?`,
  ],
  [
    { ...on(), metric: undefined, ratio: SIDES },
    'ratio.of.filters.0.value',
    `${NO_EVENT} "Search"; did you mean "search"?`,
  ],
  [{ ...on(), ratio: { of: 'purchase', to: 'search' } }, 'ratio', NO_VALUE],
  [
    on(equal('device_country', 'Germnay')),
    'filters.0.value',
    'demo has sent no device_country "Germnay"; did you mean "Germany"?',
  ],
  [
    on(anyOf('device_country', 'Peru', 'Chile')),
    'filters.0.value.0',
    'demo has sent no device_country "Peru"; it has Germany, France',
  ],
  [on(equal('event_name', 'purchase'), equal('device_country', 'France')), 'filters', ALL],
  [{ metric: 'sessions', ...on(LONG) }, 'filters', ALL],
  [{ metric: 'rage_gestures', ...on() }, 'metric', NO_VALUE],
  [{ ...on(), group_by: 'app_version' }, 'group_by', 'demo has sent no app_version'],
  // A name that could not be read.
  [on(equal('event_name', 'rare')), 'filters', ALL, {}],
])('explains %j at %s: %s', async (overrides, path, words, known = KNOWN) => {
  const cause = await causeOf(ruleNamed('a', overrides), async (attribute) => known[attribute]);
  expect([cause.path.join('.'), cause.words]).toEqual([path, words]);
});

import type { CountName, NumberName } from './aggregations.ts';
import { ATTRIBUTES, type AttributeType } from './attributes.ts';
import type { Operator } from './filters.ts';

// Descriptions of the names of the interface. The types require one for each name. Attributes have their own.

/** What the `value` of a filter is, by the type of its attribute. */
export const VALUE_WORDS: Readonly<Record<AttributeType, string>> = {
  string: 'a string, compared exactly',
  platform: '`android`, `ios` or `web`, or their numbers 1, 2, 3',
  number: 'a number, also as text: `5` or `"5"`',
  boolean: '`true` or `false`, also as text',
  list: 'a list of strings',
  json: 'a string, number or boolean; `property_name` selects the entry of the map',
  date: 'a date or timestamp',
  bucket: 'a date or timestamp; selects the calendar unit that contains it',
  window: '`{lower, upper}`, each a date or timestamp',
};

export const OPERATOR_WORDS: Readonly<Record<Operator, string>> = {
  equal: 'is the value',
  not_equal: 'is not the value, or is missing',
  in: 'is one of a list of at most 1000',
  not_in: 'is not in a list, or is missing',
  has_any: 'contains at least one of a list',
  not_has_any: 'contains none of a list',
  greater: 'is greater than a number',
  less: 'is less than a number',
  greater_or_equal: 'is greater than or equal to a number',
  less_or_equal: 'is less than or equal to a number',
  contains: 'contains a text',
  not_contains: 'does not contain a text, or is missing',
  on: 'is on a day',
  not_on: 'is not on a day',
  after: 'is after a date or timestamp',
  before: 'is before a date or timestamp',
  between_dates: 'is between two dates or timestamps',
};

export const COUNT_WORDS: Readonly<Record<CountName, string>> = {
  event_count: 'events',
  event_unique_user_count: 'distinct users with such an event',
  event_unique_session_count: 'distinct sessions with such an event',
  session_count: 'sessions',
  session_unique_user_count: 'distinct users',
  session_new_users_count: 'users whose first session is one of them',
  user_count: 'users',
  screen_visits: 'visits to the screen',
  unique_users: 'distinct users who visited the screen',
  unique_sessions: 'distinct sessions that visited the screen',
  rage_gesture_count: 'rage gestures during the visits; null if they are only known per session',
  entries: 'visits that started a session',
  exits: 'visits that ended a session',
  exit_rate: 'exits per visit, from 0 to 1',
  bounce_rate: 'entries that were the only visit of their session, from 0 to 1',
};

/** What the number of one event, session, user or visit is. */
export function numberWords(name: NumberName): string {
  if (name === 'event_custom_property')
    return 'a numeric property of the event, selected by `property_name`; ignores numbers sent as text';
  return name === 'time_on_screen' ? 'duration of a visit in seconds' : ATTRIBUTES[name].means;
}

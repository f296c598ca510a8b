import { describe, expect, it } from 'vitest';
import { rowReader } from '../../../../local/data/import/event-row.ts';
import { parseMapping } from '../../../../local/data/import/fields.ts';

const EVENT = { event_name: 'a', user_id: 'u', recorded_at: '2026-03-01T10:00Z' };
const read = rowReader(parseMapping([], []), 'iso', (value) => value);

describe('rowReader', () => {
  it.each([
    {
      name: 'ids that are numbers',
      values: { user_id: 7, session_id: 12n },
      row: { user_id: '7', session_id: '12' },
    },
    {
      name: 'a version that is a number',
      values: { app_version: 7.1 },
      row: { about: '{"app_version":"7.1"}' },
    },
    {
      name: 'flags in words',
      values: { crashed: 'yes', offline: 'false' },
      row: { crashed: true, offline: false },
    },
    { name: 'flags in digits', values: { crashed: 1, offline: 0 }, row: { crashed: true, offline: false } },
    { name: 'counts in text', values: { gesture_count: '12' }, row: { gesture_count: 12 } },
    { name: 'a platform in capitals', values: { platform: 'iOS' }, row: { about: '{"platform":"ios"}' } },
    {
      name: 'properties as JSON text',
      values: { properties: '{"a":1}', b: 2n },
      row: { properties: '{"b":2,"a":1}' },
    },
    { name: 'spaces around text', values: { event_name: ' buy ' }, row: { event_name: 'buy' } },
  ])('reads $name', ({ values, row }) => {
    expect(read(2, { ...EVENT, ...values })).toEqual({ row: expect.objectContaining({ line: 2, ...row }) });
  });

  it.each([
    { values: { event_name: '' }, problem: 'event_name is missing' },
    { values: { event_name: '  ' }, problem: 'event_name is blank' },
    { values: { user_id: { id: 1 } }, problem: 'user_id {"id":1} is neither text nor an exact number' },
    { values: { crashed: 'perhaps' }, problem: 'crashed "perhaps" is neither true nor false' },
    { values: { gesture_count: 'many' }, problem: 'gesture_count "many" is not a count' },
    { values: { gesture_count: -1 }, problem: 'gesture_count "-1" is not a count' },
    { values: { properties: '[1]' }, problem: 'properties "[1]" is not a JSON object' },
    {
      values: { uploaded_at: '1' },
      problem: 'uploaded_at "1" is not a time between 1990 and 2099 in the format iso',
    },
    {
      values: { user_id: null, recorded_at: undefined },
      problem: 'user_id is missing, recorded_at is missing',
    },
  ])('reports: $problem', ({ values, problem }) => {
    expect(read(2, { ...EVENT, ...values })).toEqual({ problem });
  });
});

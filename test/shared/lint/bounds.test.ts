import { expect, test } from 'vitest';
import { boundsRemarks } from '../../../shared/lint/bounds.ts';
import { ruleNamed } from '../../fixtures/builders.ts';

test.each<[string, Record<string, unknown>, RegExp]>([
  [
    'a fall of more than 100%',
    { fire: { change: { below: '-100%' } } },
    /nothing falls by more than 100%; write "-99%" or a smaller fall/,
  ],
  ['a figure below 0', { fire: { current: { below: 0 } } }, /no figure is below 0; to detect zero/],
  ['a fall without its minus', { fire: { change: { below: '30%' } } }, /to detect a fall, write "-30%"/],
  [
    'a rise with a minus, beside a level',
    { fire: { change: { above: '-30%' }, current: { above: 10 } } },
    /to detect a rise, write "30%"/,
  ],
  ['a rise with a minus', { fire: { change: { above: '-30%' } } }, /to detect a rise, write "30%"/],
  [
    'a difference without its minus',
    { fire: { difference: { below: 20 } } },
    /"below: 20" holds without any change; to detect a fall, write "-20"/,
  ],
])('the finding about %s says how to fix it', (_name, overrides, says) => {
  expect(boundsRemarks(ruleNamed('a', overrides)).map(({ message }) => message)).toEqual([
    expect.stringMatching(says),
  ]);
});

test.each([
  { change: { below: '-99%' } },
  { change: { above: '50%', below: '-100%' } },
  { current: { below: 1 } },
])('nothing is wrong with %j', (fire) => {
  expect(boundsRemarks(ruleNamed('a', { fire }))).toEqual([]);
});

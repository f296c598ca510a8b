import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type ItemKind,
  isEnd,
  TRANSITION_NAMES,
  type Transition,
} from '../../../shared/alerts/transitions.ts';
import { incidentNews } from '../../../shared/notifications/incident.ts';

const of = (transition: ItemKind, segment: string | null = null, ruleId = 'sales') =>
  incidentNews({ ruleId, segment, transition });

const EXPECTED: Record<ItemKind, [action: string, key: string] | null> = {
  fired: ['trigger', 'sales#'],
  persists: ['trigger', 'sales#'],
  flapping: ['trigger', 'sales#'],
  stopped: ['trigger', 'sales#'],
  acknowledged: ['acknowledge', 'sales#'],
  snoozed: ['acknowledge', 'sales#'],
  recovered: ['resolve', 'sales#'],
  retracted: ['resolve', 'sales#'],
  accepted: ['resolve', 'sales#'],
  excused: ['resolve', 'sales#'],
  restarted: ['resolve', 'sales#'],
  calmed: ['resolve', 'sales#'],
  resumed: ['resolve', 'sales#'],
  'no-data': ['trigger', 'sales##data'],
  'data-back': ['resolve', 'sales##data'],
  broken: ['trigger', 'sales##health'],
  stalled: ['trigger', 'sales##health'],
  healed: ['resolve', 'sales##health'],
  test: ['trigger', 'sales#'],
  reminded: null,
  failing: null,
  'matches-nothing': null,
  digest: null,
};

test.each(TRANSITION_NAMES)('%s has the documented pager action and key', (transition) => {
  const news = of(transition);
  expect(news && [news.action, news.key]).toEqual(EXPECTED[transition]);
});

test.each(TRANSITION_NAMES.filter(isEnd))('%s resolves its incident', (transition) => {
  expect(of(transition)?.action).toBe('resolve');
});

test('a pager ignores a digest', () => {
  expect(of('digest')).toBeNull();
});

describe('the key of an incident', () => {
  const segments = fc.oneof(
    fc.constantFrom('', '#', '#health', 'health', '#data', '%23', '%', 'x'.repeat(300), '\uD800', '\uDC00'),
    fc.string({ unit: 'binary' }),
  );
  const conditions = fc.constantFrom<Transition>('fired', 'no-data', 'broken');

  test('differs between segments and between conditions of one segment', () => {
    const alert = fc
      .tuple(segments, conditions)
      .map(([segment, condition]) => ({ segment: segment.toWellFormed(), condition }));
    fc.assert(
      fc.property(alert, alert, (a, b) => {
        const isSame = a.segment === b.segment && a.condition === b.condition;
        expect(of(a.condition, a.segment)?.key === of(b.condition, b.segment)?.key).toBe(isSame);
      }),
    );
  });

  test.each([
    ['fired', '#health', 'broken', ''],
    ['fired', 'x#data', 'no-data', 'x'],
    ['fired', '#', 'fired', '%23'],
    ['fired', 'x'.repeat(300), 'fired', `${'x'.repeat(299)}y`],
    ['fired', 'x'.repeat(300), 'broken', 'x'.repeat(300)],
  ] as const)('%s of %j is not %s of %j', (transition, segment, other, otherSegment) => {
    expect(of(transition, segment)?.key).not.toBe(of(other, otherSegment)?.key);
  });

  test('is no longer than 255 bytes', () => {
    fc.assert(
      fc.property(segments, fc.integer({ min: 1, max: 300 }), (segment, length) => {
        const key = of('fired', segment, 'r'.repeat(length))?.key ?? '';
        expect(Buffer.byteLength(key)).toBeLessThanOrEqual(255);
        expect(key.isWellFormed()).toBe(true);
      }),
    );
  });
});

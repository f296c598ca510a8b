import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { isOutside } from '../../../shared/alerting/bounds.ts';
import {
  type BoundsInstead,
  dueAt,
  insteadText,
  type Override,
  overrideAt,
  overrideFault,
  overrideWords,
  withBounds,
} from '../../../shared/alerting/overrides.ts';
import { buildRule, ruleSetEntrySchema } from '../../../shared/alerting/rule.ts';
import { meaningOf } from '../../../shared/alerting/series.ts';
import { DAY, dayAt, HOUR, MONDAY, ruleNamed } from '../../fixtures/builders.ts';

const rule = ruleNamed('sales', {
  fire: { change: { above: '80%', below: '-30%' }, difference: { below: -50 } },
  recover: { change: { below: '-10%' } },
  minimum: { baseline: 40 },
});
const UNTIL_TUESDAY = MONDAY + DAY + 9 * HOUR;

function overrideOf(overrides: Partial<Override> = {}): Override {
  return {
    ruleId: 'sales',
    meaning: meaningOf(rule),
    instead: { fire: { change: { below: -0.6 } } },
    at: MONDAY,
    untilAt: UNTIL_TUESDAY,
    by: 'ada',
    reason: 'a sale',
    ...overrides,
  };
}

describe('an override', () => {
  test.each([
    ['before it was given', MONDAY - 1, undefined],
    ['at the moment that it was given', MONDAY, 'ada'],
    ['at its last moment', UNTIL_TUESDAY - 1, 'ada'],
    ['at its end', UNTIL_TUESDAY, undefined],
  ])('%s', (_, at, by) => {
    expect(overrideAt(rule, [overrideOf()], at)?.by).toBe(by);
  });

  it('holds for its own rule alone', () => {
    expect(overrideAt(ruleNamed('other'), [overrideOf()], MONDAY)).toBeUndefined();
  });

  it('takes the place of an older one for good, however it was kept', () => {
    const older = overrideOf({ untilAt: MONDAY + 9 * DAY });
    const newer = overrideOf({ at: MONDAY + HOUR, untilAt: MONDAY + 2 * HOUR, by: 'bo' });
    for (const overrides of [
      [older, newer],
      [newer, older],
    ]) {
      expect(overrideAt(rule, overrides, MONDAY + HOUR - 1)?.by).toBe('ada');
      expect(overrideAt(rule, overrides, MONDAY + HOUR)?.by).toBe('bo');
      expect(overrideAt(rule, overrides, MONDAY + 2 * HOUR)).toBeUndefined();
    }
  });

  it('ends with a deployment that changes what the rule means, and stays with one that does not', () => {
    const stricter = { ...rule, confidence: 0.999 };
    expect(overrideAt(stricter, [overrideOf()], MONDAY)).toBeUndefined();
    expect(overrideAt({ ...rule, title: 'Sold' }, [overrideOf()], MONDAY)?.by).toBe('ada');
  });

  it('leaves what it does not name, and what the rule means', () => {
    const judged = withBounds(rule, {
      fire: { change: { below: -0.6 } },
      minimum: { current: 200 },
    });
    expect(judged).toEqual({
      ...rule,
      fire: { change: { above: 0.8, below: -0.6 }, difference: { below: -50 } },
      minimum: { current: 200, baseline: 40, difference: 0 },
    });
    expect(meaningOf(rule)).toBe(overrideOf().meaning);
  });

  it('lets a rule without bounds of recovery recover by those it fires at, and the one that is named', () => {
    const plain = ruleNamed('sales', { fire: { change: { below: '-30%' }, difference: { below: -50 } } });
    const judged = withBounds(plain, { recover: { change: { below: -0.1 } } });
    expect(judged.recover).toEqual({ change: { below: -0.1 }, difference: { below: -50 } });
  });

  it('that lowers a bound never lets a window pass that the rule stops, nor the other way round', () => {
    const share = fc.double({ min: -0.99, max: 0, noNaN: true });
    fc.assert(
      fc.property(share, share, (below, change) => {
        const judged = withBounds(rule, { fire: { change: { below } } });
        const measured = { current: 1, difference: -100, change };
        expect(isOutside(judged.fire ?? {}, measured)).toBe(change < below);
      }),
    );
  });
});

describe('why bounds cannot be overridden', () => {
  const composite = buildRule(
    ruleSetEntrySchema.parse({
      ...{ id: 'both', title: 'Both', app: 'demo', owner: 'shop', every: 'day at 01:00' },
      all_of: ['sales', 'visits'],
    }),
  );
  const usual = ruleNamed('usual', { fire: undefined, anomaly: true, compare: { to: 'seasonal' } });
  const lower: BoundsInstead = { fire: { change: { below: -0.6 } } };
  const inTime = { at: MONDAY, untilAt: MONDAY + DAY };

  test.each([
    [
      'a rule over rules',
      ...[composite, lower, inTime],
      'both fires when others do and has no bounds: override those of sales, visits',
    ],
    ['an end that is past', rule, lower, { at: MONDAY, untilAt: MONDAY }, 'an override ends in the future'],
    [
      'more than 30 days',
      ...[rule, lower, { at: MONDAY, untilAt: MONDAY + 30 * DAY + 1 }],
      "an override lasts 30 days at most: what is to last longer belongs into the rule's file",
    ],
    ['nothing', rule, {}, inTime, 'say which bounds, with --fire, --recover or --minimum'],
    [
      'a bound that the rule has not',
      ...[rule, { fire: { current: { below: 3 } } }, inTime],
      'sales has no fire current.below, only change.above, change.below, difference.below: what it has not is a change of the rule',
    ],
    [
      'a bound where there are none',
      ...[usual, lower, inTime],
      'usual has no fire change.below: it is judged by what is usual, and only its minimum can be overridden',
    ],
    [
      'what holds anyway',
      ...[rule, { fire: { change: { below: -0.3 } } }, inTime],
      'these are the bounds that sales has already',
    ],
    [
      'a fire inside of what it recovers to',
      ...[rule, { fire: { change: { below: -0.05 } } }, inTime],
      '"recover" change.below must not lie below the bound of "fire", -5%: name both, or move it less far',
    ],
    ['a lower bound', rule, lower, inTime, undefined],
    ['all of 30 days', rule, lower, { at: MONDAY, untilAt: MONDAY + 30 * DAY }, undefined],
    ['the minimum where there are no bounds', usual, { minimum: { current: 5 } }, inTime, undefined],
  ] as const)('%s', (_, asked, instead, span, fault) => {
    expect(overrideFault(asked, instead, span)).toBe(fault);
  });
});

describe('the words of an override', () => {
  it('say what is another, and what it was', () => {
    const instead = {
      fire: { change: { below: -0.6 }, difference: { below: -200 } },
      recover: { change: { below: -0.4 } },
      minimum: { current: 200 },
    };
    expect(insteadText(instead, rule)).toBe(
      'fire change below -60 % instead of -30 %; fire difference below -200 instead of -50; recover change below -40 % instead of -10 %; minimum current 200 instead of 0',
    );
  });

  it('say by whom, until when in the zone of the rule, and why', () => {
    const berlin = ruleNamed('sales', { zone: 'Europe/Berlin' });
    expect(overrideWords(overrideOf(), berlin)).toBe(
      'overridden by ada until Tue 3 Mar 2026, 10:00 (Europe/Berlin): a sale; fire change below -60 % instead of -30 %',
    );
  });
});

describe('when a window is due', () => {
  test.each([
    ['daily, at the run of the next morning', ruleNamed('a'), dayAt(0).endAt + HOUR],
    ['settled at the very time of a run', ruleNamed('a', { settle: '60 minutes' }), dayAt(0).endAt + HOUR],
    ['settled only after a run', ruleNamed('a', { settle: '61 minutes' }), dayAt(1).endAt + HOUR],
  ])('%s', (_, daily, at) => {
    expect(dueAt(daily, dayAt(0))).toBe(at);
  });
});

import { describe, expect, it } from 'vitest';
import type { Subject } from '../../../shared/readings/reading.ts';
import { ruleNamed } from '../../fixtures/builders.ts';
import { createWorld } from '../world.ts';

/** 1,000 a day, some 3% up and down; 300 from day 20 on. */
const figure = (day: number) => (day >= 20 ? 300 : day % 2 ? 1030 : 970);
const rules = [
  ruleNamed('pressed', { metric: 'unresponsive_gestures', filters: [] }),
  ruleNamed('visits', { metric: 'sessions', filters: [], compare: { to: 'same_weekday' } }),
];
const asksFor = (attribute: string) => (question: Subject) =>
  question.aggregations.some((asked) => asked.attribute === attribute);

function worldWithout(...attributes: string[]) {
  const world = createWorld({ rules, figure });
  world.source.trouble = {
    ...{ kind: 'failed', reason: 'refused (400)', retryable: false, isRefusal: true },
  };
  world.source.troubles = (question) => attributes.some((each) => asksFor(each)(question));
  world.source.readNewestEventAt = async () => ({ kind: 'read', value: world.clock.now() });
  return world;
}

describe('rules of one family if the service refuses one of its metrics', () => {
  it('fail only for the refused metric', async () => {
    const world = worldWithout('session_unresponsive_gesture_count');
    await world.ticks(0, 22);
    expect(world.notified()).toEqual(['failing pressed', 'broken pressed', 'fired visits']);
    const [pressed] = await world.alerts.loadOfRule('pressed');
    expect(pressed?.health).toMatchObject({ reason: { error: 'refused (400)' } });
  });

  it('read the history of the other metric', async () => {
    const world = worldWithout('session_unresponsive_gesture_count');
    await world.tick(60);
    const [visits] = await world.alerts.loadOfRule('visits');
    expect(visits?.evaluatedThroughAt).toBeGreaterThan(0);
    const asked = world.source.ranges.filter(asksFor('session_count'));
    expect(asked.flatMap(({ windows }) => windows).length).toBeGreaterThan(21);
    expect(world.source.ranges.filter(asksFor('session_unresponsive_gesture_count'))).toEqual([]);
  });

  it('all fail if both are refused, with few calls to the service', async () => {
    const world = worldWithout('session_unresponsive_gesture_count', 'session_count');
    await world.tick(0);
    expect(world.notified().toSorted()).toEqual(['failing pressed', 'failing visits']);
    expect(world.source.reads).toBeLessThanOrEqual(3);
  });
});

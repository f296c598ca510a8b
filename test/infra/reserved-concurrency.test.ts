import { describe, expect, test } from 'vitest';
import { ruleNamed, ruleSetOf } from '../fixtures/builders.ts';
import { STAGES } from '../fixtures/stages.ts';
import { synthesize } from './synthesis.ts';

const [staging] = STAGES;
if (!staging) throw new Error('there is no stage');

describe('concurrency', () => {
  const reservedIn = (reservesConcurrency: boolean) => {
    const [{ resources } = { resources: [] }] = synthesize(ruleSetOf(ruleNamed('orders')), [
      { ...staging, reservesConcurrency },
    ]);
    return resources
      .filter(({ Properties }) => Properties.ReservedConcurrentExecutions !== undefined)
      .map(({ id, Properties }) => [id.slice(0, -8), Properties.ReservedConcurrentExecutions]);
  };

  test('is reserved for check-rules, notify and figures-for-rules', () => {
    expect(Object.fromEntries(reservedIn(true))).toEqual({ checkrules: 2, notify: 4, figuresforrules: 4 });
  });

  // A new account can have a limit of 10 concurrent calls, and Lambda does not reserve any of them.
  test('is not reserved in staging, so that it deploys to any account', () => {
    expect(reservedIn(false)).toEqual([]);
    const settings = STAGES.map(({ name, reservesConcurrency }) => [name, reservesConcurrency]);
    expect(settings).toEqual([
      ['staging', false],
      ['production', true],
    ]);
  });

  test('covers the maximum concurrency of the queues', () => {
    const [{ resources } = { resources: [] }] = synthesize(ruleSetOf(ruleNamed('orders')), [
      { ...staging, reservesConcurrency: true },
    ]);
    const reserved = new Map(
      resources.flatMap(({ id, Properties }) => {
        const kept = Properties.ReservedConcurrentExecutions;
        return typeof kept === 'number' ? [[id, kept] as const] : [];
      }),
    );
    const sources = resources.filter(({ Type }) => Type === 'AWS::Lambda::EventSourceMapping');
    expect(sources).toHaveLength(2);
    for (const { Properties } of sources) {
      const { Ref = '' } = Object(Properties.FunctionName);
      expect(reserved.get(Ref)).toBeGreaterThanOrEqual(Object(Properties.ScalingConfig).MaximumConcurrency);
    }
  });
});

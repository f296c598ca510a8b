import { describe } from 'vitest';
import { daily, lifeOf, perSession } from '../fixtures/life.ts';
import { golden } from './golden.ts';
import { owedByApp } from './situations.ts';

const sales = (overrides: Record<string, unknown> = {}) =>
  daily({
    title: 'Purchases',
    zone: 'UTC',
    severity: 'critical',
    runbook: 'Ask the payment provider.',
    ...overrides,
  });

describe('what cannot be judged', () => {
  const failed = {
    kind: 'failed' as const,
    reason: 'the data access service did not answer within 30 seconds',
    progressed: false,
  };
  const short = {
    kind: 'inconclusive' as const,
    reason: 'the 500 calls of this hour are spent',
    progressed: false,
  };
  const runs = (...outcomes: (typeof failed | typeof short | { kind: 'judged' })[]) =>
    outcomes.reduce((life, outcome) => life.run(outcome), lifeOf(sales()));
  const usual = Array.from({ length: 21 }, (_, day) => (day % 2 ? 103 : 97));
  const rage = perSession({ title: 'Rage gestures per session' });
  golden('not checked', [runs(failed).owed()]);
  golden('broken', [runs(failed, failed, failed, failed, failed).owed()]);
  golden('checked again', [runs(failed, failed, failed, failed, failed, { kind: 'judged' }).owed()]);
  golden('stalled', [runs(short, short).owed()]);
  golden('no data', [
    lifeOf(rage)
      .days([...usual, undefined, undefined, undefined])
      .owed(),
  ]);
  golden('data back', [
    lifeOf(rage)
      .days([...usual, undefined, undefined, undefined, 100])
      .owed(),
  ]);
  golden('app stopped', [owedByApp(7)]);
  golden('app resumed', [owedByApp(7, 0)]);
});

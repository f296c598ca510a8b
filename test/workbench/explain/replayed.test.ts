import { expect, test } from 'vitest';
import { replay } from '../../../local/replay/replay.ts';
import { inMemoryStores } from '../../../shared/store/in-memory/stores.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { explainRule } from '../../../workbench/explain/explain-rule.ts';
import { dayAt, ruleNamed, ruleSetOf } from '../../fixtures/builders.ts';
import { pastOf } from '../../fixtures/past.ts';

test('explainRule explains a replayed rule that never ran', async () => {
  const sales = ruleNamed('sales');
  const stores = inMemoryStores();
  const [from, to] = [dayAt(0).startAt, dayAt(20).endAt + HOUR_MS];
  const figures = pastOf((day) => (day === 20 ? 500 : 1000 + 30 * (day % 2)));
  for await (const _ of replay({ ruleSet: ruleSetOf(sales), figures, from, to, stores }));
  expect(await explainRule({ ruleId: 'sales', now: to }, stores)).toMatchObject({
    alert: { state: 'firing', evaluatedThroughAt: dayAt(20).endAt },
    evaluated: { window: dayAt(20), evaluation: { verdict: 'breached' } },
    sent: [{ transition: 'fired', sentAt: to }],
  });
});

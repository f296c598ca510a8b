import { expect, test } from 'vitest';
import { createPage } from '../../../../functions/respond/page/page.ts';
import { visitorsBy } from '../../../../functions/respond/visitors.ts';
import { buildRule, ruleSetEntrySchema } from '../../../../shared/rules/rule.ts';
import { inMemoryStores } from '../../../../shared/store/in-memory/stores.ts';
import { ruleNamed } from '../../../fixtures/builders.ts';
import { createWorld } from '../../world.ts';

const onEvent = (id: string) =>
  ruleNamed(id, { quiet: true, filters: [{ attribute: 'event_name', operator: 'equal', value: id }] });

test('a composite rule shows which of its members fire', async () => {
  const words = { title: 'Both fell', app: 'demo', owner: 'shop', every: 'day at 01:00' };
  const both = buildRule(ruleSetEntrySchema.parse({ id: 'both', ...words, all_of: ['sales', 'views'] }));
  const rules = [both, onEvent('sales'), onEvent('views')];
  const world = createWorld({ rules, figure: (day) => (day >= 12 ? 400 : 1000) });
  await world.ticks(0, 12);
  const { silences, deliveries } = inMemoryStores();
  const page = createPage({
    ...world,
    silences,
    deliveries,
    newId: () => 'id',
    visitors: visitorsBy({ kind: 'open' }, 'http://localhost', world.clock),
  });
  const textAt = async (path: string) =>
    (await (await page.request(path)).text()).replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');

  const rule = await textAt('/rules/both');
  expect(rule).toContain('Condition whether all of sales, views fire of the app demo');
  expect(await textAt('/alerts/both')).toContain(
    'Rule is firing ✓ yes The rule sales fell from 1,000 to 400 events (-60%)',
  );
  expect(rule).not.toContain('Compared with');
  expect(await textAt('/')).toContain('Both fell firing warning 2 of 2 rules are firing');
  expect(await textAt('/rules/sales')).toContain('Notifies no channel, unless it cannot be evaluated');
});

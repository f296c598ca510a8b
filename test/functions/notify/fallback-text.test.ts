import { expect, test } from 'vitest';
import { alertOf, ruleNamed } from '../../fixtures/builders.ts';
import { channelsNamed, createNotifier } from '../notifier.ts';

test('a notification whose text cannot be built is sent with the name of its rule', async () => {
  const [odd, sales] = [ruleNamed('odd', { title: 'Odd orders' }), ruleNamed('sales', { title: 'Sales' })];
  const at = await createNotifier([odd, sales], { channels: channelsNamed('team'), default: ['team'] });
  const never = { startAt: Number.NaN, endAt: Number.NaN };
  await at.alerts.save(alertOf(odd, { incidents: [never] }));
  await at.happens(odd, { transition: 'fired' });
  await at.happens(sales, { transition: 'fired' });
  await at.sweep(1);

  const headlines = at.channel('team').sent.flatMap(({ items }) => items.map(({ headline }) => headline));
  expect(headlines.toSorted()).toEqual(['Odd orders: fired', expect.stringContaining('Sales down')]);
  expect(at.logged).toContain('the text of a message could not be built; a plain one is sent');
  expect((await at.alertOf(odd))?.pending).toEqual({});
  expect((await at.alertOf(sales))?.pending).toEqual({});
});

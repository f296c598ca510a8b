import { expect, test } from 'vitest';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { breached, ruleNamed } from '../../fixtures/builders.ts';
import { createNotifier } from '../notifier.ts';

const sales = ruleNamed('sales', { app: 'shop' });
const routes = { channels: { team: { slack: { webhook_secret: 'team' } } }, default: ['team'] };

const notesIn = (notifier: Awaited<ReturnType<typeof createNotifier>>) =>
  notifier
    .channel('team')
    .sent.flatMap(({ items }) =>
      items.flatMap(({ facts }) => facts.filter(({ label }) => label === 'Note').map(({ text }) => text)),
    );

test('a message names a note that was added after the evaluation', async () => {
  const notifier = await createNotifier([sales], routes);
  await notifier.happens(sales, { transition: 'fired' });
  const at = breached(0).current.window.startAt - 2 * HOUR_MS;
  await notifier.notes.save({ id: 'a', text: 'release 7.22', app: 'shop', at, by: 'CI' });
  await notifier.notes.save({ id: 'b', text: 'release of the bank', app: 'bank', at, by: 'CI' });
  await notifier.sweep(1);
  expect(notesIn(notifier)).toEqual(['release 7.22, 2 hours before']);
});

test('a message is sent without notes if they cannot be read', async () => {
  const notes = { load: () => Promise.reject(new Error('throttled')) };
  const notifier = await createNotifier([sales], routes, { notes });
  await notifier.happens(sales, { transition: 'fired' });
  await notifier.sweep(1);
  expect(notifier.notified('team')).toEqual(['fired sales']);
  expect(notifier.logged).toContain('notes could not be read; messages are sent without them');
});

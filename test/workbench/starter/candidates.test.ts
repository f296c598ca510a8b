import { expect, test } from 'vitest';
import { candidatesFor } from '../../../workbench/starter/candidates.ts';
import type { AppProfile } from '../../../workbench/starter/profile.ts';

const event = (name: string, sessionsPerDay: number, parent?: string) => ({
  ...{ name, sessionsPerDay, perDay: sessionsPerDay },
  ...(parent !== undefined && { parent }),
});

const SHOP: AppProfile = {
  sessionsPerDay: 500,
  isOftenSilent: false,
  events: [
    event('view_item', 500),
    event('add_to_cart', 150, 'view_item'),
    event('purchase', 60, 'add_to_cart'),
    event('payment_failed', 8, 'add_to_cart'),
    event('gift_wrapped', 2, 'add_to_cart'),
  ],
  numbers: [
    { event: 'view_item', property: 'load_ms', perDay: 500 },
    { event: 'purchase', property: 'price', perDay: 60 },
  ],
  countries: ['DE', 'FR'],
  versions: ['2.0.0', '2.1.0'],
};

const titles = (profile: Partial<AppProfile>) =>
  candidatesFor({ ...SHOP, ...profile }).map(({ title, fires }) => `${title}: ${fires}`);

test('a shop gets its failures, steps, releases, countries and slow pages, and nothing for what is rare', () => {
  expect(titles({})).toEqual([
    'Sessions: below',
    'Payment failed per add to cart: above a level',
    'Add to cart per view item: below',
    'Purchase per add to cart: below',
    'Purchase per session, by release: below',
    'Purchase per session, by country: below',
    'Slow view item (load_ms): above',
  ]);
});

test('an event that follows no other is watched per session beside steps, and alone by its count', () => {
  const signup = event('signup', 40);
  expect(titles({ events: [...SHOP.events, signup] })).toContain('Signup per session: below');
  expect(titles({ events: [signup] })).toContain('Signup: below');
});

test('frequent failures are watched by release too', () => {
  const events = [event('upload', 200), event('upload_error', 20, 'upload')];
  expect(titles({ events })).toContain('Upload error per upload, by release: above');
});

test.each(['load_ms', 'duration', 'response_time', 'latency', 'ttfb'])('%s is a duration', (property) => {
  const numbers = [{ event: 'view_item', property, perDay: 500 }];
  expect(titles({ numbers })).toContain(`Slow view item (${property}): above`);
});

test.each(['price', 'timestamp', 'items', 'created_at'])('%s is no duration', (property) => {
  const numbers = [{ event: 'view_item', property, perDay: 500 }];
  expect(titles({ numbers }).filter((title) => title.startsWith('Slow'))).toEqual([]);
});

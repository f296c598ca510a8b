import { describe, expect, test } from 'vitest';
import type { UsedLinks } from '../../shared/messages/link-purposes.ts';
import { usedLinksIn } from '../../shared/store/used-links.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import { inMemoryUsedLinks } from '../fakes/in-memory-used-links.ts';
import { onBothStores, onEmptyTable } from './both-stores.ts';
import { NOW } from './samples.ts';

const anna = { by: 'Anna', at: NOW, reason: 'on it' };
const ben = { by: 'Ben', at: NOW + 1, reason: '' };

function usedLinksContract(store: () => UsedLinks) {
  test('find returns undefined for an unused link', async () => {
    expect(await store().find('a')).toBeUndefined();
  });

  test('save keeps the first use only', async () => {
    expect(await store().save('a', anna, NOW + DAY_MS)).toBe(true);
    expect(await store().save('a', ben, NOW + DAY_MS)).toBe(false);
    expect(await store().find('a')).toEqual(anna);
    expect(await store().find('b')).toBeUndefined();
  });

  test('one of two concurrent saves is the first', async () => {
    const both = await Promise.all([anna, ben].map((use) => store().save('a', use, NOW + DAY_MS)));
    expect(both.filter(Boolean)).toHaveLength(1);
  });
}

describe('UsedLinks', () =>
  onBothStores({ inMemory: inMemoryUsedLinks, inTable: usedLinksIn }, usedLinksContract));

describe('UsedLinks in DynamoDB', () => {
  const table = onEmptyTable();

  test('a use expires together with the link', async () => {
    const links = usedLinksIn(table());
    await links.save('a', anna, NOW + DAY_MS);
    table().clock.advanceTo(NOW + DAY_MS - 1000);
    expect(await links.find('a')).toEqual(anna);
    table().clock.advanceTo(NOW + DAY_MS + 1000);
    expect(await links.find('a')).toBeUndefined();
  });
});

import { describe, expect, test } from 'vitest';
import { hasPictures, mostThatFits, withoutPictures } from '../../../shared/channels/chat-layout.ts';
import { aMessage, anItem, LINKS } from '../../fixtures/messages.ts';

const items = Array.from({ length: 12 }, (_, i) => anItem({ key: `${i}`, links: LINKS }));
const digest = aMessage({ items });

describe('the most that fits', () => {
  test.each([
    { most: 20, linked: 10, summarized: 10 },
    { most: 13, linked: 3, summarized: 10 },
    { most: 10, linked: 0, summarized: 10 },
    { most: 4, linked: 0, summarized: 4 },
    { most: -1, linked: 0, summarized: 0 },
  ])('of twelve alerts in $most parts is $linked links and $summarized figures', ({ most, ...expected }) => {
    const shown = mostThatFits(
      digest,
      ({ items: all, left }) => ({
        linked: all.filter(({ open }) => open).length,
        summarized: all.filter(({ summary }) => summary !== null).length,
        pictured: all.filter(({ picture }) => picture).length,
        left,
      }),
      ({ linked, summarized }) => linked + summarized <= most,
    );
    expect(shown).toEqual({ ...expected, pictured: Math.min(3, expected.linked), left: 2 });
  });
});

test('a message is without pictures only if none of its alerts has one', () => {
  const some = aMessage({ items: [anItem({ links: LINKS }), anItem()] });
  expect([hasPictures(some), hasPictures(withoutPictures(some)), hasPictures(aMessage())]).toEqual([
    ...[true, false, false],
  ]);
  expect(withoutPictures(some).items.map(({ links }) => links?.answers.length)).toEqual([
    LINKS.answers.length,
    undefined,
  ]);
});

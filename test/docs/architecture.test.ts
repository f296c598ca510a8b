import { expect, test } from 'vitest';
import { CORE_ROOMS } from '../rooms.ts';
import { codeIn, documentAt, tableIn } from './documents.ts';

test('architecture.md follows a reading through the rooms in one direction', () => {
  const files = tableIn(documentAt('docs/explanation/architecture.md'), 'step').flatMap(([, , file = '']) =>
    codeIn(file),
  );
  const order = files
    .map((file) => CORE_ROOMS.findIndex((room) => file.startsWith(`${room}/`)))
    .filter((room) => room >= 0);
  expect(order.length).toBeGreaterThan(0);
  expect(order).toEqual([...order].sort((a, b) => a - b));
});

import { expect, test } from 'vitest';
import { ROOMS } from '../rooms.ts';
import { codeIn, documentAt, tableIn } from './documents.ts';

test('architecture.md follows a reading through the rooms in one direction', () => {
  const files = tableIn(documentAt('docs/explanation/architecture.md'), 'step').flatMap(([, , file = '']) =>
    codeIn(file),
  );
  const order = files
    .filter((file) => file.startsWith('shared/alerting/'))
    .map((file) => ROOMS.findIndex(({ folder }) => file.startsWith(`${folder}/`)));
  expect(order.length).toBeGreaterThan(0);
  expect(order).toEqual([...order].sort((a, b) => a - b));
});

import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { CORE_ROOMS } from '../rooms.ts';
import { codeIn, documentAt, tableIn } from './documents.ts';

const files = tableIn(documentAt('docs/explanation/architecture.md'), 'step').flatMap(([, , file = '']) =>
  codeIn(file),
);

test('architecture.md follows a reading through at most 20 files, which exist', () => {
  expect(files.length).toBeGreaterThan(10);
  expect(files.length).toBeLessThanOrEqual(20);
  const missing = files.filter((file) => !existsSync(new URL(`../../${file}`, import.meta.url)));
  expect(missing).toEqual([]);
});

test('architecture.md enters each room once, and the pure rooms in one direction', () => {
  const rooms = files.map((file) => dirname(file));
  const entered = rooms.filter((room, i) => room !== rooms[i - 1]);
  expect(entered).toEqual([...new Set(rooms)]);
  const order = entered.map((room) => CORE_ROOMS.indexOf(room)).filter((room) => room >= 0);
  expect(order).toEqual([...order].sort((a, b) => a - b));
});

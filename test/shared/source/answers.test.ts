import { expect, it } from 'vitest';
import { boundedText } from '../../../shared/source/answers.ts';

it('leaves texts of up to 300 characters unchanged', () => {
  expect(boundedText('a'.repeat(300))).toBe('a'.repeat(300));
  expect(boundedText('')).toBe('');
});

it('cuts longer texts, marks the cut, and keeps different texts distinct', () => {
  const [a, b] = ['x', 'y'].map((end) => boundedText('a'.repeat(500_000) + end));
  expect(a).toMatch(/^a{200}… \(cut, [0-9a-f]{12}\)$/);
  expect(b).toMatch(/^a{200}… \(cut, [0-9a-f]{12}\)$/);
  expect(a).not.toBe(b);
});

it('never splits a character', () => {
  expect(boundedText(`${'a'.repeat(199)}${'😀'.repeat(100)}`).isWellFormed()).toBe(true);
});

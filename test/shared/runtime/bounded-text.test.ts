import { expect, it } from 'vitest';
import { boundedText } from '../../../shared/runtime/bounded-text.ts';

it('leaves texts of up to 300 characters as they are', () => {
  expect(boundedText('a'.repeat(300))).toBe('a'.repeat(300));
  expect(boundedText('')).toBe('');
});

it('cuts a longer one, says so, and keeps apart two that begin alike', () => {
  const [a, b] = ['x', 'y'].map((end) => boundedText('a'.repeat(500_000) + end));
  expect(a).toMatch(/^a{200}… \(cut, [0-9a-f]{12}\)$/);
  expect(b).toMatch(/^a{200}… \(cut, [0-9a-f]{12}\)$/);
  expect(a).not.toBe(b);
});

it('cuts no character in half', () => {
  expect(boundedText(`${'a'.repeat(199)}${'😀'.repeat(100)}`).isWellFormed()).toBe(true);
});

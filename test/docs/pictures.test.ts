import { expect, test } from 'vitest';
import { altText } from '../../shared/messages/chart-text.ts';
import { chartNamed } from '../fixtures/charts.ts';
import { documentAt } from './documents.ts';

test('pictures.md quotes the alt text of a picture', () => {
  const [words] = documentAt('docs/reference/pictures.md').blocks;
  expect(words?.text.trim()).toBe(altText(chartNamed('Purchases')));
});

import { expect, test } from 'vitest';
import { messageLines } from '../../../cli/rules/preview.ts';
import { aMessage, anItem } from '../../fixtures/messages.ts';

test('messageLines renders a message in 80 columns without markup', () => {
  const fact = { label: 'What drove it', text: 'Safari & <Chrome> fell, '.repeat(10).trim() };
  const lines = messageLines(aMessage({ items: [anItem({ facts: [fact], headline: 'Checkout down 42%' })] }));
  expect(lines[0]).toMatch(/^Checkout dropped: /);
  expect(lines.join('\n')).toMatch(/^What drove it: Safari & <Chrome> fell,/m);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});

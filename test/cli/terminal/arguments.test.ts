import { expect, test } from 'vitest';
import { startCommand } from '../../../cli/operate/start.ts';
import { httpsAddress, instant } from '../../../cli/terminal/arguments.ts';

test.each([
  ['https://alerts.example.com', 'https://alerts.example.com'],
  ['https://alerts.example.com/', 'https://alerts.example.com'],
  ['https://Alerts.example.com:8443', 'https://alerts.example.com:8443'],
])('the page can be at %s', (text, address) => {
  expect(httpsAddress(text)).toBe(address);
});

test.each([
  'http://alerts.example.com',
  'alerts.example.com',
  'https://alerts.example.com/deltawatch',
  'https://alerts.example.com//',
  'https://alerts.example.com?app=shop',
  'https://alerts.example.com/?',
  'https://alerts.example.com#alerts',
  'https://anna@alerts.example.com',
  'https://:secret@alerts.example.com',
])('start --public refuses %s', async (url) => {
  const command = startCommand()
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .action(() => {});
  await expect(command.parseAsync(['--public', url], { from: 'user' })).rejects.toThrow(
    'Use the URL of the page, such as https://alerts.example.com: https, a host, and nothing after it.',
  );
});

test('a time has an offset', () => {
  expect(instant('2026-03-01T06:00+01:00')).toBe(Date.parse('2026-03-01T05:00Z'));
  for (const wrong of ['2026-03-01T06:00', '2026-13-01T06:00Z'])
    expect(() => instant(wrong)).toThrow('a time with an offset such as 2026-03-01T06:00Z');
});

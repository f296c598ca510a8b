import { afterEach, expect, test, vi } from 'vitest';
import { terminalLogger } from '../../local/terminal.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test('tells one line, without credentials and without commands to the terminal', () => {
  const print = vi.spyOn(console, 'error').mockImplementation(() => {});
  terminalLogger.error('request failed', {
    path: '/v2/event\n\u001b[2J\u009b&apikey=hunter2',
    error: new Error('no route\nfor dwk_hunter2'),
  });
  const [line = ''] = print.mock.calls[0] ?? [];
  expect(line).toContain('error: request failed path="/v2/event');
  expect(line).toContain('error=no route%0Afor [redacted]');
  expect(line).not.toMatch(/\p{Cc}|hunter2/u);
});

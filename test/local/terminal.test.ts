import { PassThrough } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { progressLine, terminalLogger } from '../../local/terminal.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test('terminalLogger prints one line without credentials or escapes', () => {
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

/** A stream that records what is written to it. */
function recordingStream(isTTY: boolean) {
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 80 });
  return { stream, written: () => String(stream.read() ?? '') };
}

test('progressLine shows a bar on a terminal and clears it at the end', () => {
  const { stream, written } = recordingStream(true);
  const line = progressLine(stream);
  line.show('Reading', 1, 2);
  line.show('Reading', 3, 4);
  expect(written()).toBe(
    '\r\u001b[KReading [============------------] 50%\r\u001b[KReading [==================------] 75%',
  );
  line.end();
  expect(written()).toBe('\r\u001b[K');
});

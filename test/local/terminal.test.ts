import { PassThrough } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { endProgress, progressLine, terminalLogger } from '../../local/terminal.ts';

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

/** A stream that keeps what is written to it. */
function aStream(isTTY: boolean) {
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 80 });
  return { stream, written: () => String(stream.read() ?? '') };
}

test('progress is a line for each tenth where nobody watches', () => {
  const { stream, written } = aStream(false);
  const line = progressLine(stream);
  for (let done = 0; done <= 50; done++) line.show('Reading', done, 200);
  expect(written()).toBe('Reading 0 %\nReading 10 %\nReading 20 %\n');
});

test('progress is a bar on a terminal, and is gone when it ends, however that comes', () => {
  const { stream, written } = aStream(true);
  for (const end of [(line: ReturnType<typeof progressLine>) => line.end(), endProgress]) {
    const line = progressLine(stream);
    line.show('Reading', 1, 2);
    end(line);
    expect(written()).toMatch(/Reading \[=+-*\] \d+ %|Reading \[-+\] 0 %/);
    line.end();
    expect(written()).toBe('');
  }
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  deltawatch,
  type Ended,
  type Folder,
  RESTLESS_RULES,
  temporaryFolder,
} from '../../fixtures/deltawatch.ts';

const ARGS = ['simulate', '--from', '2026-03-01', '--to', '2026-03-03', '--rules', RESTLESS_RULES];

let folder: Folder;
let first: Ended;
beforeAll(async () => {
  folder = await temporaryFolder();
  first = await deltawatch([...ARGS, '--json'], folder.path);
});
afterAll(() => folder[Symbol.asyncDispose]());

describe('simulate --json', () => {
  test('prints one notification per line, with exactly the documented keys', () => {
    expect(first.code).toBe(0);
    const notifications = first.stdout
      .trimEnd()
      .split('\n')
      .map((line): Record<string, unknown> => JSON.parse(line));
    expect(notifications.length).toBeGreaterThan(1);
    for (const notification of notifications)
      expect(Object.keys(notification)).toEqual([
        'rule',
        'segment',
        'windowEnd',
        'transition',
        'current',
        'baseline',
        'changePct',
        'route',
      ]);
    expect(notifications.map(({ transition }) => transition)).toContain('fired');
  });

  test('prints only windows of the span', () => {
    const windowEnds = [...first.stdout.matchAll(/"windowEnd":"([^"]+)"/g)].map(([, at]) => at ?? '');
    expect(windowEnds.filter((at) => at < '2026-02-28' || at > '2026-03-03')).toEqual([]);
  });

  test('prints progress to stderr, a line per quarter', () => {
    const lines = first.stderr.trimEnd().split('\n');
    expect(
      lines.filter((line) => !/^(Writing the demo shop|Sorting the demo shop|Simulating) \d+%$/.test(line)),
    ).toEqual([]);
    expect(lines.length).toBeLessThan(16);
  });
});

test('simulate prints two lines per notification and a count, from existing data', async () => {
  const { code, stdout, stderr } = await deltawatch(ARGS, folder.path);
  const lines = stdout.trimEnd().split('\n');
  const count = first.stdout.trimEnd().split('\n').length;
  expect(code).toBe(0);
  expect(stderr).not.toContain('Writing');
  expect(lines.at(-1)).toBe(`${count} notifications`);
  expect(lines).toHaveLength(2 * count + 1);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(stdout).toMatch(/^2026-03-\d\d 00:00Z {2}fired {6}searches\n {30}\d+ to \d+ \([+-][\d.]+%\)$/m);
});

test('simulate names an app without data and says what to do', async () => {
  const { code, stdout, stderr } = await deltawatch([...ARGS, '--data', 'nothing-here'], folder.path);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr.replaceAll('\n  ', ' ')).toBe(
    'error: nothing-here has no data for the app "demo": import it with: deltawatch data import\n',
  );
});

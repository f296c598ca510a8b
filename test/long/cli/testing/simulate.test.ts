import { expect, test } from 'vitest';
import { deltawatch, RESTLESS_RULES, temporaryFolder } from '../../../fixtures/deltawatch.ts';

const ARGS = ['simulate', '--from', '2026-03-01', '--to', '2026-03-03', '--rules', RESTLESS_RULES];
const KEYS = ['rule', 'segment', 'windowEnd', 'transition', 'current', 'baseline', 'changePct', 'route'];

test('simulate prints each notification of the span as JSON or text, and progress to stderr', async () => {
  await using folder = await temporaryFolder();
  const first = await deltawatch([...ARGS, '--json'], folder.path);
  expect(first.code).toBe(0);
  const notifications = first.stdout
    .trimEnd()
    .split('\n')
    .map((line): Record<string, unknown> => JSON.parse(line));
  for (const notification of notifications) expect(Object.keys(notification)).toEqual(KEYS);
  expect(notifications.map(({ transition }) => transition)).toContain('fired');
  const ends = notifications.map(({ windowEnd }) => String(windowEnd));
  expect(ends.filter((at) => at < '2026-02-28' || at > '2026-03-03')).toEqual([]);
  const progress = first.stderr.trimEnd().split('\n');
  expect(progress.length).toBeLessThan(16);
  for (const line of progress)
    expect(line).toMatch(/^(Writing the demo shop|Sorting the demo shop|Simulating) \d+%$/);

  // The demo shop is there now.
  const { stdout, stderr } = await deltawatch(ARGS, folder.path);
  expect(stderr).not.toContain('Writing');
  const lines = stdout.trimEnd().split('\n');
  expect(lines.at(-1)).toBe(`${notifications.length} notifications`);
  expect(lines).toHaveLength(2 * notifications.length + 1);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(stdout).toMatch(/^2026-03-\d\d 00:00Z {2}fired {6}searches\n {30}\d+ to \d+ \([+-][\d.]+%\)$/m);

  const missing = await deltawatch([...ARGS, '--data', 'nothing-here'], folder.path);
  expect({ code: missing.code, stdout: missing.stdout }).toEqual({ code: 1, stdout: '' });
  expect(missing.stderr.replaceAll('\n  ', ' ')).toBe(
    'error: nothing-here has no data for the app "demo": import it with: deltawatch data import\n',
  );
});

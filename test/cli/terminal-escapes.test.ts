import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reportText } from '../../cli/rules/check.ts';
import { deltawatch, temporaryFolder } from '../fixtures/deltawatch.ts';

/** Clears the screen and sets the title of the terminal. */
const ESCAPES = '\u001b[2J\u001b]0;owned\u0007';

test('check --live prints no terminal escapes from an event name', () => {
  const finding = {
    ...{ file: 'rules.yaml', line: 1, column: 1, source: '', ruleId: 'sales', severity: 'warning' as const },
    ...{ code: 'live-matches-nothing' as const, message: `did you mean "order${ESCAPES}"?` },
  };
  const text = reportText({ rules: 1, problems: [], findings: [finding], ignored: 0 });
  expect(text).toContain('order%1B[2J');
  expect(text).not.toContain('\u001b');
});

test('data import prints no escapes or bidirectional controls of a bad line', async () => {
  await using folder = await temporaryFolder();
  await writeFile(
    join(folder.path, 'events.csv'),
    `event_name,user_id,recorded_at,platform\nopen,ann,2026-03-01T10:00:00Z,web\nopen,bob,2026-03-01T11:00:00Z,\u202e${ESCAPES}\n`,
  );
  const args = ['data', 'import', 'events.csv', '--app', 'shop', '--zone', 'UTC', '--yes', '--skip-bad'];
  const { stdout, stderr } = await deltawatch(args, folder.path);
  expect(stdout).toContain('line 3');
  for (const letter of ['\u001b', '\u202e']) expect(stdout + stderr).not.toContain(letter);
});

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { blocksIn, documentAt } from '../../docs/documents.ts';
import { deltawatch, launch, temporaryFolder } from '../../fixtures/deltawatch.ts';

const [backtest, ruleTests] = blocksIn('ts', [documentAt('docs/reference/api.md')]);

const RULES = `rules:
  - id: bookings
    title: Bookings
    app: clinic
    owner: clinic-team
    every: day at 07:00
    metric: event_count
    compare: { to: same_weekday }
    fire: { change: { below: -50% } }
`;
const ROUTES = 'channels: { clinic: { slack: { webhook_secret: slack } } }\ndefault: [clinic]\n';

/** The example, with the modules of the repository. */
function programOf(text = ''): string {
  const urlOf = (path: string) => pathToFileURL(join(process.cwd(), path)).href;
  return text
    .replace("'deltawatch'", `'${urlOf('workbench/api.ts')}'`)
    .replace("'deltawatch/testing'", `'${urlOf('workbench/testing.ts')}'`);
}

test('the program of api.md counts the alerts of a data folder', async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, 'rules'));
  await writeFile(join(folder.path, 'rules/clinic.yaml'), RULES);
  await writeFile(join(folder.path, 'rules/routes.yaml'), ROUTES);
  await writeFile(join(folder.path, 'bookings.csv'), bookingsWithALowDay());
  const importing = ['data', 'import', 'bookings.csv', '--app', 'clinic', '--yes'];
  expect((await deltawatch(importing, folder.path)).code).toBe(0);
  await writeFile(join(folder.path, 'program.mts'), programOf(backtest?.text));
  const ran = await launch(process.execPath, ['program.mts'], folder.path).ended;
  expect(ran).toEqual({ code: 0, stdout: 'bookings 1\n', stderr: '' });
});

test('the test suite of api.md has a test for each test of the rules', async () => {
  await using folder = await temporaryFolder();
  expect((await deltawatch(['init', '--app', 'clinic'], folder.path)).code).toBe(0);
  const suite = programOf(ruleTests?.text).replace(
    /^import .* from 'vitest';$/m,
    'const test = (name, run) => { run(); console.log(name); };\n' +
      'const expect = (failures) => ({ toEqual: () => { if (failures.length > 0) throw new Error(failures[0]); } });',
  );
  await writeFile(join(folder.path, 'suite.mjs'), suite);
  const ran = await launch(process.execPath, ['suite.mjs'], folder.path).ended;
  expect(ran.stderr).toBe('');
  expect(ran.stdout.trim().split('\n')).toEqual([
    expect.stringMatching(/^hardly any sessions .* \(rules\/clinic\.test\.yaml:\d+\)$/),
    expect.stringMatching(/^a normal Sunday/),
  ]);
});

/** A hundred a day from the middle of December on; on 20 January there are few. */
function bookingsWithALowDay(): string {
  const days = Array.from({ length: 50 }, (_, day) => Date.UTC(2025, 11, 15) + day * 86_400_000);
  const low = Date.UTC(2026, 0, 20);
  const rows = days.flatMap((startAt) =>
    Array.from({ length: startAt === low ? 20 : 100 }, (_, i) => {
      const at = new Date(startAt + i * 800_000).toISOString();
      return `${at},p-${i},booked\n`;
    }),
  );
  return `at,user,event\n${rows.join('')}`;
}

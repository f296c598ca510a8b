import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { importTarget } from '../../../cli/data/import-target.ts';
import { firstRules, starterFiles } from '../../../workbench/starter/starter-files.ts';
import { temporaryFolder } from '../../fixtures/deltawatch.ts';

/** A folder with rules of each of these apps. */
async function rulesOf(...apps: [app: string, zone: string][]) {
  const folder = await temporaryFolder();
  for (const [i, [app, zone]] of apps.entries())
    for (const [file, text] of starterFiles(app, firstRules(app, zone)))
      if (!file.endsWith('.test.yaml'))
        await writeFile(
          join(folder.path, file === 'routes.yaml' ? file : `${i}-${file}`),
          text.replaceAll('id: ', `id: r${i}-`),
        );
  return folder;
}

it.each<[string, [string, string][], RegExp]>([
  ['the demo', [['demo', 'UTC']], /name the app with --app.* the rules in .* name none/],
  [
    'several',
    [
      ['shop', 'UTC'],
      ['web', 'UTC'],
    ],
    /name the app with --app: the rules in .* watch shop and web/,
  ],
])('importTarget asks for --app if the rules name %s', async (_, apps, says) => {
  await using folder = await rulesOf(...apps);
  await expect(importTarget({ data: 'nowhere', rules: folder.path })).rejects.toThrow(says);
});

it('importTarget chooses no time zone if the rules use several, and reads no invalid rules', async () => {
  await using folder = await rulesOf(['shop', 'Asia/Tokyo'], ['shop', 'Europe/Berlin']);
  const named = { data: 'nowhere', app: 'shop', rules: folder.path };
  const { zone, notes } = await importTarget(named);
  expect(zone).toBeUndefined();
  expect(notes).toEqual([
    expect.stringMatching(/has the time zone UTC, but the rules in .* use Asia\/Tokyo and Europe\/Berlin/),
  ]);
  await writeFile(join(folder.path, 'broken.yaml'), 'rules: [');
  expect((await importTarget(named)).notes).toEqual([]);
});

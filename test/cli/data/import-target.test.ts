import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { importTarget, watchedApps } from '../../../cli/data/import-target.ts';
import { firstRules, starterFiles } from '../../../workbench/starter/starter-files.ts';
import { temporaryFolder } from '../../fixtures/deltawatch.ts';

async function rules(here: string, name: string, app: string) {
  await mkdir(join(here, name));
  const files = starterFiles(app, firstRules(app, 'Europe/Berlin', []));
  for (const [file, text] of files) await writeFile(join(here, name, file), text);
}

it('watchedApps finds the apps of rule folders, without the demo and invalid folders', async () => {
  await using folder = await temporaryFolder();
  await rules(folder.path, 'rules', 'demo');
  await rules(folder.path, 'shop-rules', 'shop');
  await rules(folder.path, 'broken', 'other');
  await writeFile(join(folder.path, 'broken', 'other.yaml'), 'rules: [');
  await mkdir(join(folder.path, 'docs'));
  // A folder that this user may not read fails in the same way.
  await symlink('routes.yaml', join(folder.path, 'docs', 'routes.yaml'));
  expect(await watchedApps(undefined, folder.path)).toEqual([
    { app: 'shop', zones: ['Europe/Berlin'], folder: 'shop-rules' },
  ]);
  await expect(watchedApps(join(folder.path, 'broken'))).rejects.toThrow('problem');
});

const SHOP = { app: 'shop', zones: ['UTC'], folder: 'a' };

it.each([
  { name: 'none', watched: [], says: /name the app with --app.* no rules here name one/ },
  {
    name: 'several',
    watched: [SHOP, { ...SHOP, app: 'web', folder: 'b' }],
    says: /name the app with --app.* the rules in a and b watch shop and web/,
  },
])('importTarget asks for --app if the rules name $name', async ({ watched, says }) => {
  await expect(importTarget({ data: 'nowhere' }, watched)).rejects.toThrow(says);
});

it('importTarget chooses no time zone if the rules use several', async () => {
  const watched = [{ ...SHOP, zones: ['Asia/Tokyo', 'Europe/Berlin'] }];
  const { zone, notes } = await importTarget({ data: 'nowhere', app: 'shop' }, watched);
  expect(zone).toBeUndefined();
  expect(notes).toEqual([
    'shop has the time zone UTC, but the rules in a use Asia/Tokyo and Europe/Berlin: choose one with --zone',
  ]);
});

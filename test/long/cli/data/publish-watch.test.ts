import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deltawatch, eventually, launchDeltawatch, temporaryFolder } from '../../../fixtures/deltawatch.ts';

test('data publish --watch publishes again after each import, until Ctrl-C', async () => {
  await using folder = await temporaryFolder();
  const [data, lake] = [join(folder.path, 'data'), join(folder.path, 'lake')];
  const imported = async (row: string, ...more: string[]) => {
    const file = join(folder.path, 'e.csv');
    await writeFile(file, `event_name,user_id,recorded_at\n${row}\n`);
    const { code } = await deltawatch(['data', 'import', file, '--app', 'shop', '--data', data, ...more]);
    expect(code).toBe(0);
  };
  await imported('a,u,2026-03-01T10:00Z');
  const words = ['data', 'publish', '--app', 'shop', '--to', lake, '--watch', '--data', data];
  await using watching = launchDeltawatch(words);
  const publications = () => watching.printed().match(/^Published .*$/gm) ?? [];
  await eventually('the first publication', () => publications()[0]);
  await imported('c,w,2026-03-03T10:00Z', '--append');
  await eventually('the second publication', () => publications()[1]);
  watching.kill('SIGINT');

  expect((await watching.ended).code).toBe(0);
  const place = `Published shop to ${lake}`;
  expect(publications()).toEqual([
    `${place}: 4 files written (0.0 MB), 0 unchanged; 2026-03-01 to 2026-03-01`,
    `${place}: 4 files written (0.0 MB), 4 unchanged; 2026-03-01 to 2026-03-03`,
  ]);
});

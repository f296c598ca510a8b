import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { initCommand } from '../../../../cli/rules/init.ts';
import { ManualClock } from '../../../../shared/runtime/clock.ts';
import { HOUR_MS } from '../../../../shared/units/durations.ts';
import { deltawatch, type Folder, temporaryFolder } from '../../../fixtures/deltawatch.ts';

const init = (folder: Folder, ...words: string[]) => deltawatch(['init', ...words], folder.path);

async function succeeds(folder: Folder, words: string[]): Promise<string> {
  const { code, stdout, stderr } = await deltawatch(words, folder.path);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return stdout;
}

/** Errors are wrapped. */
const unwrapped = (text: string) => text.replaceAll(/\s+/g, ' ');

const textOf = (folder: Folder, name: string) => readFile(join(folder.path, name), 'utf8');

describe('in an empty folder', () => {
  test('init writes a configuration, rules that pass their tests, a workflow and .gitignore', async () => {
    await using folder = await temporaryFolder();
    const printed = await succeeds(folder, ['init', '--rules', "shop's alerts"]);
    expect(printed).toContain('  npx deltawatch test      # do the tests pass?');
    const written = await readdir(folder.path);
    expect(written.sort()).toEqual(['.github', '.gitignore', 'deltawatch.config.ts', "shop's alerts"]);
    expect(await succeeds(folder, ['check', '--strict'])).toBe('1 rule is valid\n');
    expect(await succeeds(folder, ['test'])).toContain('2 passed, 0 failed');
    expect(await textOf(folder, '.gitignore')).toBe('.deltawatch/\n');
  });
});

describe('with imported data', () => {
  async function withData(...apps: string[]) {
    const folder = await temporaryFolder();
    // Rows of the last hundred hours, every fourth of them a refund.
    const rows = Array.from({ length: 100 }, (_, i) => {
      const at = new Date(Date.now() - (i + 1) * HOUR_MS).toISOString();
      return `${at},${i % 4 === 0 ? 'refund' : 'order'},user-${i % 9}`;
    });
    await writeFile(join(folder.path, 'events.csv'), ['recorded_at,event_name,user_id', ...rows].join('\n'));
    const [first = '', ...others] = apps;
    await succeeds(folder, ['data', 'import', 'events.csv', '--app', first, '--zone', 'Asia/Tokyo', '--yes']);
    const data = join(folder.path, '.deltawatch/data');
    for (const app of others) await cp(join(data, `${first}.duckdb`), join(data, `${app}.duckdb`));
    for (const app of others) await writeFile(join(data, `${app}.json`), `{"id":"${app}","name":"${app}"}`);
    return folder;
  }

  test('init watches its app in its zone, and its frequent events', async () => {
    await using folder = await withData('shop');
    await succeeds(folder, ['init']);
    const rules = await textOf(folder, 'rules/shop.yaml');
    expect(rules).toContain('zone: Asia/Tokyo');
    expect(rules).toContain('grace: 12 hours');
    expect(rules.indexOf('shop-sessions')).toBeLessThan(rules.indexOf('shop-order'));
    expect(await succeeds(folder, ['check', '--strict'])).toContain('rules are valid');
    expect(await succeeds(folder, ['test'])).toContain('2 passed, 0 failed');
    expect(await succeeds(folder, ['propose'])).toBe('');
    expect(await textOf(folder, 'deltawatch.config.ts')).toContain("figures: { data: '.deltawatch/data' }");
  });

  test('init asks for the app if there are several', async () => {
    await using folder = await withData('shop', 'chat');
    const { code, stderr } = await init(folder);
    expect(unwrapped(stderr)).toContain(
      '.deltawatch/data has the data of 2 apps; name one with --app: chat, shop',
    );
    expect(code).toBe(2);
    expect(await readdir(folder.path)).not.toContain('rules');
  });
});

test('with tables in the configuration, init proposes rules from their figures', async () => {
  await using folder = await temporaryFolder();
  const names = ['opened', 'opened', 'order_failed', 'search'];
  const rows = Array.from({ length: 40 * 24 * 8 }, (_, i) => {
    const at = new Date(Date.now() - ((i + 1) * HOUR_MS) / 8).toISOString();
    return `${at},${names[i % 4]},user-${i % 97},v${i},${i % 8 === 2 ? 'ios' : 'android'}`;
  });
  await writeFile(join(folder.path, 'events.csv'), ['at,name,who,visit,os', ...rows].join('\n'));
  const columns = {
    event_name: 'name',
    user_id: 'who',
    recorded_at: 'at',
    session_id: 'visit',
    platform: 'os',
  };
  const sql = { engine: 'duckdb', apps: { shop: { events: { files: 'events.csv', columns } } } };
  const config = `export default ${JSON.stringify({ figures: { sql } })};`;
  await writeFile(join(folder.path, 'deltawatch.config.ts'), config);
  await succeeds(folder, ['init', '--app', 'shop']);
  const rules = await textOf(folder, 'rules/shop.yaml');
  expect(rules).toMatch(/id: shop-order-failed\n[^#]*fire: \{ current: \{ above: 0\.\d+ \} \}/);
  expect(rules).toMatch(/id: shop-opened\n/);
  expect(await succeeds(folder, ['check', '--strict'])).toContain('rules are valid');
});

describe('in a repository with rules', () => {
  test('init adds a second app and keeps routes, configuration and workflow', async () => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, '.gitignore'), 'node_modules');
    await succeeds(folder, ['init', '--app', 'shop']);
    await writeFile(join(folder.path, 'rules/routes.yaml'), 'channels: {}\ndefault: []\n');
    const printed = await succeeds(folder, ['init', '--app', 'chat']);
    expect(printed).toMatch(
      /\nWritten:\n {2}rules\/chat.yaml\n {2}rules\/chat.test.yaml\nAlready there, not changed:\n/,
    );
    expect(printed).toMatch(/not changed:\n[\s\S]*rules\/routes.yaml\n[\s\S]*deltawatch.config.ts\n\nNext:/);
    expect(await textOf(folder, 'rules/routes.yaml')).toBe('channels: {}\ndefault: []\n');
    expect(await textOf(folder, '.gitignore')).toBe('node_modules\n.deltawatch/\n');
  });

  test('in a folder below, init writes to the rules and the top of the configuration', async () => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, 'deltawatch.config.ts'), 'export default {};');
    const below = join(folder.path, 'shop');
    await mkdir(below);
    await deltawatch(['init', '--app', 'shop'], below);
    expect((await readdir(folder.path)).sort()).toEqual([
      ...['.github', '.gitignore', 'deltawatch.config.ts', 'rules', 'shop'],
    ]);
  });

  test('init rejects an app that already has rules, and keeps them', async () => {
    await using folder = await temporaryFolder();
    await succeeds(folder, ['init', '--app', 'shop']);
    const rules = await textOf(folder, 'rules/shop.yaml');
    const { code, stderr } = await init(folder, '--app', 'shop');
    expect(unwrapped(stderr)).toContain(
      'rules/shop.yaml already exists, so nothing was written: delete rules/shop.yaml and rules/shop.test.yaml, or use another folder',
    );
    expect(code).toBe(1);
    expect(await textOf(folder, 'rules/shop.yaml')).toBe(rules);
  });
});

test.each([
  [['--app', 'a b'], 'Use an app id: letters, digits, "_" and "-".'],
  [['--app', 'shop', '--zone', 'europe/berlin'], 'use the spelling of IANA, "Europe/Berlin".'],
  [['--app', 'shop', '--data', '/nowhere'], '/nowhere has no data for the app "shop": import it'],
])('init %j says what is missing or invalid, and writes nothing', async (words, problem) => {
  await using folder = await temporaryFolder();
  const command = initCommand(new ManualClock(0))
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  const rules = join(folder.path, 'rules');
  await expect(command.parseAsync(['--rules', rules, ...words], { from: 'user' })).rejects.toThrow(problem);
  expect(await readdir(folder.path)).toEqual([]);
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { initCommand } from '../../../cli/rules/init.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { type Folder, temporaryFolder } from '../../fixtures/deltawatch.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Runs `deltawatch init` in this process and returns its stdout. */
async function init({ path }: Folder, ...words: string[]): Promise<string> {
  const printed: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((text: string) => printed.push(text));
  const command = initCommand(new ManualClock(0))
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  await command.parseAsync([join(path, 'rules'), ...words], { from: 'user' });
  return printed.join('\n');
}

test('init adds a second app to a folder and keeps its routes', async () => {
  await using folder = await temporaryFolder();
  await init(folder, '--app', 'shop');
  const routes = await readFile(join(folder.path, 'rules/routes.yaml'), 'utf8');
  const printed: unknown = JSON.parse(await init(folder, '--app', 'chat', '--json'));
  const inRules = (...names: string[]) => names.map((name) => join(folder.path, 'rules', name));
  expect(printed).toMatchObject({
    written: inRules('chat.yaml', 'chat.test.yaml'),
    kept: expect.arrayContaining(inRules('routes.yaml', 'schema/rules.schema.json')),
    next: [
      { command: `npx deltawatch check --rules ${join(folder.path, 'rules')}` },
      { command: `npx deltawatch test ${join(folder.path, 'rules')}` },
      { command: `npx deltawatch backtest --rules ${join(folder.path, 'rules')} --days 90` },
    ],
  });
  expect(await readFile(join(folder.path, 'rules/routes.yaml'), 'utf8')).toBe(routes);
});

test('init rejects an app that already has rules, and keeps them', async () => {
  await using folder = await temporaryFolder();
  await init(folder, '--app', 'shop', '--event', 'order');
  const rules = await readFile(join(folder.path, 'rules/shop.yaml'), 'utf8');
  await expect(init(folder, '--app', 'shop')).rejects.toThrow(
    `${join(folder.path, 'rules/shop.yaml')} already exists, so nothing was written; use another folder`,
  );
  expect(await readFile(join(folder.path, 'rules/shop.yaml'), 'utf8')).toBe(rules);
});

test.each([
  [['--app', 'a b'], 'Use an app id: letters, digits, "_" and "-".'],
  [['--app', 'shop', '--zone', 'europe/berlin'], 'use the spelling of IANA, "Europe/Berlin".'],
  [[], "required option '--app <id>' not specified"],
  [['--app', 'shop', '--data', '/nowhere'], '/nowhere has no data for the app "shop": import it'],
  [['--app', 'shop', '--service', 'https://a.example'], '--service requires --key-secret'],
])('init %j says what is missing or invalid', async (words, problem) => {
  await using folder = await temporaryFolder();
  await expect(init(folder, ...words)).rejects.toThrow(problem);
});

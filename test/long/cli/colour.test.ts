import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type Ended, launch, RULES, temporaryFolder } from '../../fixtures/deltawatch.ts';

const BINARY = join(process.cwd(), 'cli/bin.js');
const RED = '\u001b[31m';

function deltawatch(args: string[], colours: { NO_COLOR?: string; FORCE_COLOR?: string }): Promise<Ended> {
  return launch(process.execPath, [BINARY, ...args], process.cwd(), colours).ended;
}

/** A folder of rules. One of them can never fire. */
async function withError() {
  const folder = await temporaryFolder();
  await cp(RULES, folder.path, { recursive: true });
  const file = join(folder.path, 'growth.yaml');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('change: { below: -35% }', 'change: { below: -100% }'));
  return folder;
}

describe.concurrent('with FORCE_COLOR, the command', () => {
  const COLOURS = { FORCE_COLOR: '1' };

  test('colours findings by severity without changing the lines', async () => {
    await using folder = await withError();
    const [coloured, plain] = await Promise.all([
      deltawatch(['check', '--rules', folder.path], COLOURS),
      deltawatch(['check', '--rules', folder.path], {}),
    ]);
    expect(coloured.stdout).toContain(`${RED}error\u001b[39m bounds-never: `);
    expect(plain.stdout).not.toContain('\u001b');
    expect(stripVTControlCharacters(coloured.stdout)).toBe(plain.stdout);
  });

  test('prints JSON without colours', async () => {
    await using folder = await withError();
    const { stdout } = await deltawatch(['check', '--json', '--rules', folder.path], COLOURS);
    expect(JSON.parse(stdout).findings).not.toEqual([]);
    expect(stdout).not.toContain('\u001b');
  });
});

test.each([
  [{ NO_COLOR: '1' }, ['check', '--rules', 'nowhere']],
  [{ FORCE_COLOR: '0' }, ['--help']],
])('prints no colours to a pipe with %j', async (colours, args) => {
  const { stdout, stderr } = await deltawatch(args, colours);
  expect(stdout + stderr).not.toContain('\u001b');
});

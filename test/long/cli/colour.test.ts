import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { WriteStream } from 'node:tty';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { tableText } from '../../../cli/terminal/table.ts';
import { wrapped } from '../../../cli/terminal/wrapping.ts';
import { bad } from '../../../local/colour.ts';
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

describe('bad() on a terminal', () => {
  afterEach(() => void vi.unstubAllEnvs());
  const terminal = Object.assign(new PassThrough(), {
    isTTY: true,
    getColorDepth: WriteStream.prototype.getColorDepth,
  });

  test.each([
    [undefined, `${RED}error\u001b[39m`],
    ['1', 'error'],
  ])('with NO_COLOR=%s returns %j', (noColour, shown) => {
    vi.stubEnv('FORCE_COLOR', undefined);
    // Node takes a terminal of an unknown CI service for one without colours.
    vi.stubEnv('CI', undefined);
    vi.stubEnv('TERM', 'xterm');
    vi.stubEnv('NO_COLOR', noColour);
    expect(bad('error', terminal)).toBe(shown);
  });
});

describe('colours do not change the layout', () => {
  afterEach(() => void vi.unstubAllEnvs());

  /** The same text with colours and without. */
  function both(text: () => string) {
    vi.stubEnv('FORCE_COLOR', '0');
    const plain = text();
    vi.stubEnv('FORCE_COLOR', '1');
    const coloured = text();
    expect(coloured).not.toBe(plain);
    return { plain, coloured: stripVTControlCharacters(coloured) };
  }

  test('of a table', () => {
    const columns = [
      { title: 'STATE', width: 10 },
      { title: 'COUNT', align: 'right' as const },
    ];
    const { plain, coloured } = both(() =>
      tableText(columns, [
        [bad('firing critical'), 12],
        ['normal', 3],
      ]),
    );
    expect(coloured).toBe(plain);
  });

  test('of wrapped lines', () => {
    const { plain, coloured } = both(() => wrapped(`${bad('error:')} ${'word '.repeat(40)}`).join('\n'));
    expect(coloured).toBe(plain);
  });
});

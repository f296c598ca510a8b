import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Ended, launch, launchDeltawatch, temporaryFolder } from '../../fixtures/deltawatch.ts';

const RULES = 'rules:\n  - id: orders\n  - id: order-value\n';

/** What may follow these words in a folder with rules, one of whose files is broken and one is code. */
async function following(shell: string, ...words: string[]): Promise<string[]> {
  await using folder = await temporaryFolder();
  for (const dir of ['rules', 'other']) await mkdir(join(folder.path, dir));
  await writeFile(join(folder.path, 'rules/shop.yaml'), RULES);
  await writeFile(join(folder.path, 'rules/broken.yaml'), 'rules: [');
  await writeFile(join(folder.path, 'rules/hostile.yaml'), 'rules: [{ id: $(touch owned) }]');
  await writeFile(join(folder.path, 'rules/code.rules.ts'), 'throw new Error("must not run");');
  await writeFile(join(folder.path, 'other/own.yaml'), 'rules: [{ id: own }]');
  const { stdout, code, stderr } = await launchDeltawatch(['completion', shell, '--', ...words], folder.path)
    .ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.split('\n').slice(0, -1);
}

describe.concurrent('completion knows', () => {
  test.each<[string[], string[]]>([
    [[''], ['check', 'alerts', 'completion']],
    [
      ['silence', ''],
      ['add', 'list', 'expire'],
    ],
    [
      ['silence', 'add', '--'],
      ['--match', '--until', '--help'],
    ],
    [['check', '--rules', 'rules', '--st'], ['--strict']],
    [
      ['evaluate', '--gaps', ''],
      ['zero', 'missing'],
    ],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['--'], ['--version', '--help']],
  ])('%j', async (words, expected) => {
    expect(await following('bash', ...words)).toEqual(expect.arrayContaining(expected));
  });

  test.each<[string[], string[]]>([
    [
      ['explain', ''],
      ['order-value', 'orders'],
    ],
    [
      ['alerts', '--rule', ''],
      ['order-value', 'orders'],
    ],
    [
      ['render', 'orders', ''],
      ['order-value', 'orders'],
    ],
    [['backtest', '--rules', 'other', '--rule', ''], ['own']],
    [['backtest', '--rules=other', '--rule', ''], ['own']],
    [['backtest', '--rules', 'nowhere', '--rule', ''], []],
  ])('the ids of the rules: %j', async (words, ids) => {
    expect(await following('bash', ...words)).toEqual(ids);
  });

  test.each([[['check', '']], [['backtest', '--html', '']], [['nothing', '']]])(
    'nothing, so that the shell completes paths: %j',
    async (words) => {
      expect(await following('fish', ...words)).toEqual([]);
    },
  );
});

test('zsh and fish show what each word does', async () => {
  const strict = 'Exit with 1 on warnings as well as errors';
  expect(await following('zsh', 'check', '--')).toContain(`--strict:${strict}`);
  expect(await following('fish', 'check', '--')).toContain(`--strict\t${strict}`);
});

test('the script of bash completes what is typed', async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, 'rules'));
  await writeFile(join(folder.path, 'rules/shop.yaml'), RULES);
  const command = join(folder.path, 'deltawatch');
  await symlink(join(process.cwd(), 'cli/bin.js'), command);
  const bash = (words: string[]) => `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
    COMP_CWORD=${words.length - 1}
    _deltawatch '${command}' '${words.at(-1)}' '${words.at(-2)}'
    echo "\${COMPREPLY[@]}"`;
  const script = [
    `PATH="${join(process.execPath, '../..')}:$PATH"`,
    `source <('${command}' completion bash)`,
    bash([command, 'expl']),
    bash([command, 'explain', 'order-']),
    bash([command, 'explain', '--verb']),
    'complete -p deltawatch',
  ].join('\n');
  const { stdout, stderr }: Ended = await launch('bash', ['-c', script], folder.path).ended;
  expect({ stdout, stderr }).toEqual({
    stdout: 'explain\norder-value\n--verbose\ncomplete -o default -F _deltawatch deltawatch\n',
    stderr: '',
  });
});

import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Ended, launch, launchDeltawatch, temporaryFolder } from '../../fixtures/deltawatch.ts';

const RULES = 'rules:\n  - id: orders\n  - id: order-value\n';

/** Completions for these words in a folder with valid, invalid and TypeScript rule files. */
async function completionsOf(shell: string, ...words: string[]): Promise<string[]> {
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

describe.concurrent('completion offers', () => {
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
    [
      ['evaluate', '--gaps', ''],
      ['zero', 'missing'],
    ],
    [['--'], ['--version', '--help']],
  ])('words after %j', async (words, expected) => {
    expect(await completionsOf('bash', ...words)).toEqual(expect.arrayContaining(expected));
  });

  test.each<[string[], string[]]>([
    [
      ['explain', ''],
      ['order-value', 'orders'],
    ],
    [
      ['render', 'orders', ''],
      ['order-value', 'orders'],
    ],
    [['backtest', '--rules', 'other', '--rule', ''], ['own']],
    [['backtest', '--rules=other', '--rule', ''], ['own']],
  ])('rule ids after %j', async (words, ids) => {
    expect(await completionsOf('bash', ...words)).toEqual(ids);
  });

  test.each([[['check', '']], [['backtest', '--html', '']], [['nothing', '']]])(
    'nothing after %j, so the shell completes paths',
    async (words) => {
      expect(await completionsOf('fish', ...words)).toEqual([]);
    },
  );
});

test('completion for zsh and fish includes descriptions', async () => {
  const strict = 'Exit with 1 on warnings as well as errors';
  expect(await completionsOf('zsh', 'check', '--')).toContain(`--strict:${strict}`);
  expect(await completionsOf('fish', 'check', '--')).toContain(`--strict\t${strict}`);
});

test('the bash script completes commands, rule ids and options', async () => {
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

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { refusalOf } from '../../../fixtures/command-line.ts';
import { deltawatch, deltawatchOn, launch, RULES, temporaryFolder } from '../../../fixtures/deltawatch.ts';

describe.concurrent('wrong usage exits with 2 and a hint', () => {
  test.each([
    ['chekc', '(Did you mean check?)'],
    ['data frob', "unknown command 'frob'"],
    ['note', 'give the text of a note, or --list'],
    ['start --port 0', 'Use a whole number from 1 to 65535'],
  ])('deltawatch %s', async (line, said) => {
    const { code, stdout, stderr } = await deltawatch(line.split(' '));
    expect(stderr.replaceAll('\n  ', ' ')).toContain(said);
    expect(stderr).toMatch(/\(use --help for usage\)\n$/);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });
});

test.each([
  ['frob', "unknown command 'frob'"],
  ['silence add --match rule=x', "required option '--reason <text>' not specified"],
  ['backtest --from monday', 'Use a date'],
  ['start --days 101', 'Use a whole number from 0 to 100'],
  ['check --colour', "unknown option '--colour'"],
])('refusalOf rejects deltawatch %s', (line, said) => {
  expect(refusalOf(line.split(' '), true)).toContain(said);
});

test('a closed pipe is no failure', async () => {
  const node = JSON.stringify(process.execPath);
  const command = `{ ${node} cli/bin.js --help; echo "ended with $?" >&2; } | true`;
  const { stderr } = await launch('sh', ['-c', command], process.cwd()).ended;
  expect(stderr).toBe('ended with 0\n');
});

describe.concurrent('rule files', () => {
  test.each([['check'], ['backtest --from 2026-03-01 --to 2026-03-02'], ['start --state state']])(
    'with an error stop deltawatch %s before it writes anything',
    async (command) => {
      await using folder = await temporaryFolder();
      const rules = join(folder.path, 'rules');
      await cp(RULES, rules, { recursive: true });
      const file = join(rules, 'growth.yaml');
      const text = await readFile(file, 'utf8');
      await writeFile(file, text.replace('every: hour at :20', 'every: fortnight'));
      const line = text.slice(0, text.indexOf('hour at :20')).split('\n').length;

      const { code, stdout, stderr } = await deltawatch(
        [...command.split(' '), '--rules', 'rules'],
        folder.path,
      );

      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^error: 1 problem in rules\n/);
      expect(stderr).toContain(`rules/growth.yaml:${line}:12 `);
      expect(stderr).toContain('"fortnight" is not a cadence; accepted: "hour"');
      expect(await readdir(folder.path)).toEqual(['rules']);
    },
  );
});

/** The first Node on PATH that is too old, if any. */
function oldNode(): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .map((folder) => join(folder, 'node'))
    .find((node) => existsSync(node) && major(node) < 22);
}

function major(node: string): number {
  return Number(execFileSync(node, ['-p', 'process.versions.node.split(".")[0]'], { encoding: 'utf8' }));
}

const old = oldNode();
test.skipIf(old === undefined)('an old Node fails with one sentence', async () => {
  const { code, stdout, stderr } = await deltawatchOn(old ?? '', ['check']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(
    /^deltawatch needs Node 22\.18 or Node 24, or newer, and found v\d+\.\d+\.\d+\. .*\n$/,
  );
});

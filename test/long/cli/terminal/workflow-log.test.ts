import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { harmlessInWorkflows } from '../../../../cli/terminal/workflow-log.ts';
import { temporaryFolder } from '../../../fixtures/deltawatch.ts';

/** The lines that GitHub's runner reads as commands: `::` after optional blanks, or `##[` anywhere. */
function commandsIn(log: string): string[] {
  return log.split(/\r\n|[\r\n]/).filter((line) => /^[\s\u0085]*::/.test(line) || line.includes('##['));
}

const printed = (...parts: string[]) => {
  const harmless = harmlessInWorkflows();
  return parts.map(harmless).join('');
};

describe('text in the log of a workflow', () => {
  test.each([
    ['::stop-commands::x\n', ': :stop-commands::x\n'],
    ['ok\n   ::add-mask::a\n', 'ok\n   : :add-mask::a\n'],
    ['Malta ##[error]no\n', 'Malta ## [error]no\n'],
    ['\r::error::no', '\r: :error::no'],
    ['{"segment":"##[group]"}\n', '{"segment":"## [group]"}\n'],
    ['std::vector ## a: b\n- ::x\n', 'std::vector ## a: b\n- ::x\n'],
  ])('%j is printed as %j', (text, shown) => {
    expect(printed(text)).toBe(shown);
    expect(printed(...text)).toBe(shown);
  });

  test('contains no command and keeps all other characters, in any chunks', () => {
    const batch = fc.constantFrom(':', '::', '#', '##', '[', ' ', '\t', '\n', '\r', '\u0085', 'a', 'error');
    fc.assert(
      fc.property(fc.array(fc.array(batch).map((batches) => batches.join(''))), (parts) => {
        const log = printed(...parts);
        expect(commandsIn(log)).toEqual([]);
        expect(log.replaceAll(' ', '')).toBe(parts.join('').replaceAll(' ', ''));
      }),
    );
  });
});

/** Events with a column named like a command, after a name so long that the column starts a line. */
const EVENTS = `event_name,user_id,recorded_at,${'0'.repeat(70)},::stop-commands::x
open,ann,2026-03-01T10:00:00Z,1,2
`;

/** What an import prints with these variables, to stdout or to the file `to`. */
async function imported(variables: Record<string, string>, to?: string): Promise<string> {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, 'events.csv'), EVENTS);
  const command = `"$0" "$1" data import events.csv --app shop --zone UTC --yes ${to ? `> ${to}` : ''} 2>&1`;
  const args = ['-c', command, process.execPath, resolve('cli/bin.js')];
  const { stdout } = await promisify(execFile)('bash', args, {
    cwd: folder.path,
    env: { PATH: process.env.PATH, ...variables },
  });
  return to === undefined ? stdout : readFile(join(folder.path, to), 'utf8');
}

describe('data import with a column named like a command', () => {
  test('escapes the column in a workflow, and nowhere else', async () => {
    expect(commandsIn(await imported({}))).toHaveLength(1);
    const log = await imported({ GITHUB_ACTIONS: 'true' });
    expect(commandsIn(log)).toEqual([]);
    expect(log).toMatch(/^ {2}: :stop-commands::x$/m);
  });

  test('does not escape output to a file', async () => {
    expect(await imported({ GITHUB_ACTIONS: 'true' }, 'shown.txt')).toMatch(/^ {2}::stop-commands::x$/m);
  });
});

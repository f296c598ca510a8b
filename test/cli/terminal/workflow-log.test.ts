import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { harmlessInWorkflows } from '../../../cli/terminal/workflow-log.ts';
import { temporaryFolder } from '../../fixtures/deltawatch.ts';

/** The lines that GitHub's runner takes for commands, by its rule: leading blanks do not count, `##[` counts anywhere. */
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

  test('holds no command and all its letters, whatever parts it comes in', () => {
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

/** Events with a property that is named like a command, after one so long that it comes on a line of its own. */
const EVENTS = `event_name,user_id,recorded_at,${'0'.repeat(70)},::stop-commands::x
open,ann,2026-03-01T10:00:00Z,1,2
`;

/** What an import prints with these variables or, with `to`, what it writes into that file. */
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

describe('a command of ours', () => {
  test('prints no command of a column in a workflow, and the column as it is elsewhere', async () => {
    expect(commandsIn(await imported({}))).toHaveLength(1);
    const log = await imported({ GITHUB_ACTIONS: 'true' });
    expect(commandsIn(log)).toEqual([]);
    expect(log).toMatch(/^ {2}: :stop-commands::x$/m);
  });

  test('writes into a file what it would write elsewhere', async () => {
    expect(await imported({ GITHUB_ACTIONS: 'true' }, 'shown.txt')).toMatch(/^ {2}::stop-commands::x$/m);
  });
});

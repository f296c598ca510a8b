import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

interface Scene {
  /** The files in the folder of the script, by path. */
  files?: Record<string, string>;
  env: Record<string, string>;
  /** The answers to `gh api`, by the end of the path. */
  answers: Record<string, string>;
}

/** A call of `gh api` that changes something, with the comment it sends. */
interface Change {
  method: string | undefined;
  path: string | undefined;
  body: string | undefined;
}

const [OUTPUT, COMMENT, CHANGES] = ['output', 'comment.md', 'changes'];

/** Runs the script of a step like GitHub, with a `gh` that gives these answers and otherwise prints nothing. */
export async function runScript(script: string, { files = {}, env, answers }: Scene) {
  const folder = await mkdtemp(join(tmpdir(), 'workflow-'));
  try {
    for (const [path, text] of Object.entries({ ...files, [OUTPUT]: '', [COMMENT]: '', [CHANGES]: '' })) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    await writeFile(join(folder, 'gh'), ghWith(answers), { mode: 0o755 });
    const { stdout } = await promisify(execFile)('bash', ['-eo', 'pipefail', '-c', script], {
      cwd: folder,
      env: { ...env, PATH: `${folder}${delimiter}${process.env.PATH}`, GITHUB_OUTPUT: OUTPUT },
    });
    const [output, body, called] = await Promise.all(
      [OUTPUT, COMMENT, CHANGES].map((name) => readFile(join(folder, name), 'utf8')),
    );
    const changes = [...(called ?? '').matchAll(/^(\S+) (\S+)$/gm)].map(
      ([, method, path]): Change => ({ method, path, body }),
    );
    return { stdout, output, changes };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function ghWith(answers: Record<string, string>): string {
  const cases = Object.entries(answers).map(([end, answer]) => `  *${end}) echo '${answer}' ;;`);
  return [
    '#!/usr/bin/env bash',
    'while [ $# -gt 0 ]; do',
    '  case "$1" in',
    '    --method) method=$2; shift ;;',
    '    --jq | -F) shift ;;',
    '    repos/*) path=$1 ;;',
    '  esac',
    '  shift',
    'done',
    `if [ -n "$method" ]; then echo "$method $path" >> ${CHANGES}; exit; fi`,
    'case "$path" in',
    ...cases,
    'esac',
  ].join('\n');
}

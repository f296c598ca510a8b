import { appendFile, readFile } from 'node:fs/promises';
import { isErrorCode } from '../../shared/runtime/errors.ts';

const LINE = '.deltawatch/';

/** Adds the state folder to `.gitignore`: it holds secrets and data. Returns whether the file changed. */
export async function ignoreState(path: string): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (isErrorCode(error, 'ENOENT')) return '';
    throw error;
  });
  if (text.split(/\r?\n/).some((line) => /^\/?\.deltawatch\/?$/.test(line.trim()))) return false;
  await appendFile(path, `${text === '' || text.endsWith('\n') ? '' : '\n'}${LINE}\n`);
  return true;
}

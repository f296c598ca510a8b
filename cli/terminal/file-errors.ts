import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from '../../shared/runtime/errors.ts';

const FULL = 'the disk is full: free some space and run the command again';
const FORBIDDEN = 'this user may not read or write it: change its rights, or use another folder';
const A_FILE = 'it is a file, but a folder is expected: move it away, or use another folder';
const A_FOLDER = 'it is a folder, but a file is expected: move it away';

/** What is wrong and what would be right, by the code of an error of Node. */
const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EACCES: FORBIDDEN,
  EPERM: FORBIDDEN,
  EROFS: 'it is on a read-only disk: use another folder',
  EISDIR: A_FOLDER,
  ERR_FS_EISDIR: A_FOLDER,
  ENOTDIR: A_FILE,
  EEXIST: A_FILE,
  ENOENT: 'there is no such file',
};

/** The same by a part of the message of a database. */
const DATABASE_REASONS: [said: string, reason: string][] = [
  ['No space left', FULL],
  ['Permission denied', FORBIDDEN],
  ['lock on file', 'another process writes it: stop that process first'],
  ['', 'it is damaged: restore it, or import all files of the app again, the first with --replace'],
];

/** An error of the file system or of a data file as one sentence; `undefined` for other errors. */
export function fileFault(error: unknown): ConfigError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, path } = { code: '', path: undefined, ...error };
  const said = REASONS[code];
  if (said !== undefined) {
    const where = typeof path === 'string' ? `${placeOf(path, said)}: ` : '';
    return new ConfigError(`${where}${said}`, { cause: error });
  }
  return databaseFault(error);
}

/** The same for an error of DuckDB, which quotes the path in its message. */
function databaseFault(error: Error): ConfigError | undefined {
  const [, file] = DATABASE_ERROR.exec(error.message) ?? [];
  if (file === undefined) return undefined;
  const [, said = ''] = DATABASE_REASONS.find(([part]) => error.message.includes(part)) ?? [];
  return new ConfigError(`${file}: ${said}`, { cause: error });
}

const DATABASE_ERROR = /^[A-Z][A-Za-z ]+ Error: .*?[fF]ile "([^"]+)"/s;

/** The path, or the folder of it that is a file. */
function placeOf(path: string, said: string): string {
  if (said !== A_FILE) return path;
  const isFile = (at: string) => existsSync(at) && !statSync(at).isDirectory();
  for (let at = path; at !== dirname(at); at = dirname(at)) if (isFile(at)) return at;
  return path;
}

import { isAbsolute, join, relative } from 'node:path';

const DOCUMENTS = join(import.meta.dirname, '../../docs');

/** The path of a document of this repository or package: relative to the working folder if it is in it. */
export function documentPath(name: string, from = process.cwd()): string {
  const path = join(DOCUMENTS, name);
  const near = relative(from, path);
  return near.startsWith('..') || isAbsolute(near) ? path : near;
}

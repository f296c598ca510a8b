import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import * as z from 'zod';
import { createSecretsFileReader, type SecretReader } from '../shared/runtime/secrets.ts';

/** The name under which the local data access service's own key is kept. */
export const LOCAL_KEY = 'data-access-key';

/**
 * The secrets of this machine, in a file that only its owner can read; made on first use, with a key for the local
 * data access service.
 */
export async function openLocalSecrets(path: string): Promise<SecretReader & { names: Set<string> }> {
  const first = JSON.stringify({ [LOCAL_KEY]: randomBytes(32).toString('base64url') }, null, 2);
  await writeFile(path, `${first}\n`, { mode: 0o600, flag: 'wx' }).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  });
  const reader = createSecretsFileReader(path);
  await reader.readSecret(LOCAL_KEY);
  const names = Object.keys(z.record(z.string(), z.string()).parse(JSON.parse(await readFile(path, 'utf8'))));
  return { ...reader, names: new Set(names) };
}

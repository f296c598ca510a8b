import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../shared/runtime/errors.ts';
import { createSecretsFileReader } from '../shared/runtime/secrets.ts';

const NAME = 'cursor-secret';

/**
 * The key that signs cursors of a data folder. Created on first use and stored there, so that cursors
 * survive a restart. Throws `ConfigError` if it cannot be written, or if other users can read it.
 */
export async function cursorSecretIn(dataDir: string): Promise<string> {
  const path = join(dataDir, 'service.secrets.json');
  const first = JSON.stringify({ [NAME]: randomBytes(32).toString('base64url') });
  await writeFile(path, `${first}\n`, { mode: 0o600, flag: 'wx' }).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return;
    throw new ConfigError(`the key that signs cursors cannot be written to ${path}`, { cause: error });
  });
  return createSecretsFileReader(path).readSecret(NAME);
}

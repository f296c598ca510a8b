import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import * as z from 'zod';
import { readEnvironment } from '../shared/runtime/environment.ts';
import { createSecretsFileReader } from '../shared/runtime/secrets.ts';

/** The name under which the local data access service's own key is kept. */
const LOCAL_KEY = 'data-access-key';

export interface LocalSecrets {
  /** The key of the local data access service. */
  apiKey: string;
  /** The secret of this name: from the environment, else from the file; `undefined` where neither has it. */
  find(name: string): Promise<string | undefined>;
}

/** The environment variable that may hold a secret: `slack-webhook` is `DELTAWATCH_SECRET_SLACK_WEBHOOK`. */
function secretVariable(name: string): string {
  return `DELTAWATCH_SECRET_${name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`;
}

/**
 * The secrets of this machine: of the environment, and of a file that only its owner can read; made on first use, with
 * a key for the local data access service. Throws `ConfigError` where others can read the file or it is no JSON.
 */
export async function openLocalSecrets(
  path: string,
  variables?: Record<string, string | undefined>,
): Promise<LocalSecrets> {
  const first = JSON.stringify({ [LOCAL_KEY]: randomBytes(32).toString('base64url') }, null, 2);
  await writeFile(path, `${first}\n`, { mode: 0o600, flag: 'wx' }).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  });
  const file = createSecretsFileReader(path);
  const ownKey = await file.readSecret(LOCAL_KEY);
  const kept = z.record(z.string(), z.string()).parse(JSON.parse(await readFile(path, 'utf8')));
  const find = async (name: string) => {
    const variable = secretVariable(name);
    const { [variable]: value } = readEnvironment({ [variable]: z.string().min(1).optional() }, variables);
    return value ?? (Object.hasOwn(kept, name) ? file.readSecret(name) : undefined);
  };
  return { find, apiKey: (await find(LOCAL_KEY)) ?? ownKey };
}

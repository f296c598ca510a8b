import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import * as z from 'zod';
import { readEnvironment } from '../shared/runtime/environment.ts';
import { createSecretsFileReader } from '../shared/runtime/secrets.ts';

/** The names of what is drawn on first use: the data access service's own key, and what signs the links of messages. */
const LOCAL_KEY = 'data-access-key';
const SIGNING_KEY = 'signing-key';

const OWNER_ONLY = 0o600;

const secretsSchema = z.record(z.string(), z.string());

export interface LocalSecrets {
  /** The key of the local data access service. */
  apiKey: string;
  /** What signs the links of messages. */
  signingKey: string;
  /** The secret of this name: from the environment, else from the file; `undefined` where neither has it. */
  find(name: string): Promise<string | undefined>;
}

/** The environment variable that may hold a secret: `slack-webhook` is `DELTAWATCH_SECRET_SLACK_WEBHOOK`. */
export function secretVariable(name: string): string {
  return `DELTAWATCH_SECRET_${name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`;
}

/**
 * The secrets of this machine: of the environment, and of a file that only its owner can read; made on first use, with
 * a key for the local data access service and one that signs links. Throws `ConfigError` where others can read the file
 * or it is no JSON.
 */
export async function openLocalSecrets(
  path: string,
  variables?: Record<string, string | undefined>,
): Promise<LocalSecrets> {
  const first = textOf(withOwnKeys({}));
  await writeFile(path, first, { mode: OWNER_ONLY, flag: 'wx' }).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  });
  const file = createSecretsFileReader(path);
  const ownKey = await file.readSecret(LOCAL_KEY);
  const before = secretsSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  const kept = withOwnKeys(before);
  // A file from before there were links.
  if (!Object.hasOwn(before, SIGNING_KEY)) await replace(path, textOf(kept));
  const find = async (name: string) => {
    const variable = secretVariable(name);
    const { [variable]: value } = readEnvironment({ [variable]: z.string().min(1).optional() }, variables);
    return value ?? (Object.hasOwn(kept, name) ? file.readSecret(name) : undefined);
  };
  return {
    find,
    apiKey: (await find(LOCAL_KEY)) ?? ownKey,
    signingKey: (await find(SIGNING_KEY)) ?? (await file.readSecret(SIGNING_KEY)),
  };
}

/** These secrets, with a newly drawn one for each key of this machine's own that is missing. */
function withOwnKeys(secrets: Record<string, string>): Record<string, string> {
  const draw = () => randomBytes(32).toString('base64url');
  return { [LOCAL_KEY]: draw(), [SIGNING_KEY]: draw(), ...secrets };
}

/** In one step, so that no kill can cost anybody their webhook. */
async function replace(path: string, text: string): Promise<void> {
  const draft = `${path}.draft`;
  await writeFile(draft, text, { mode: OWNER_ONLY });
  await rename(draft, path);
}

function textOf(secrets: Record<string, string>): string {
  return `${JSON.stringify(secrets, null, 2)}\n`;
}

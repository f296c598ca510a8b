import { randomBytes } from 'node:crypto';
import { chmod, readFile, stat } from 'node:fs/promises';
import * as z from 'zod';
import { readEnvironment } from '../shared/runtime/environment.ts';
import { ConfigError } from '../shared/runtime/errors.ts';
import { createSecretsFileReader, readSecretsFile } from '../shared/runtime/secrets.ts';
import { createText, replaceText } from './files.ts';

/** Secrets that are generated on first use. */
const LOCAL_KEY = 'data-access-key';
const SIGNING_KEY = 'signing-key';
const SESSION_KEY = 'session-key';
const OWN_KEYS = [LOCAL_KEY, SIGNING_KEY, SESSION_KEY];

const OWNER_ONLY = 0o600;

export interface LocalSecrets {
  apiKey: string;
  signingKey: string;
  /** Key that signs sign-in links and sessions of a public page. */
  sessionKey: string;
  /** A secret by name, from the environment or else the file; `undefined` if neither has it. */
  find(name: string): Promise<string | undefined>;
}

/** The environment variable of a secret: `DELTAWATCH_SECRET_SLACK_WEBHOOK` for `slack-webhook`. */
export function secretVariable(name: string): string {
  return `DELTAWATCH_SECRET_${name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`;
}

/**
 * Opens the secrets of this machine: environment variables, and a file that only its owner can read. Generates
 * the API key and the signing keys if they are missing. Throws `ConfigError` if the file is not JSON, or if other
 * users can read these keys.
 */
export async function openLocalSecrets(
  path: string,
  variables?: Record<string, string | undefined>,
): Promise<LocalSecrets> {
  const kept = await completed(path);
  const file = createSecretsFileReader(path);
  const find = async (name: string) => {
    const variable = secretVariable(name);
    const { [variable]: value } = readEnvironment(
      { [variable]: z.string().trim().min(1).optional() },
      variables,
    );
    return value ?? (Object.hasOwn(kept, name) ? file.readSecret(name) : undefined);
  };
  return {
    find,
    apiKey: (await find(LOCAL_KEY)) ?? (await file.readSecret(LOCAL_KEY)),
    signingKey: (await find(SIGNING_KEY)) ?? (await file.readSecret(SIGNING_KEY)),
    sessionKey: (await find(SESSION_KEY)) ?? (await file.readSecret(SESSION_KEY)),
  };
}

/** Adds a secret to the file. Throws `ConfigError` if the file has another value, which stays. */
export async function addLocalSecret(path: string, name: string, value: string): Promise<void> {
  const secrets = await completed(path);
  const kept = secrets[name];
  if (kept !== undefined && kept !== value)
    throw new ConfigError(`${path} has another value of "${name}": remove it there first`);
  await replaceText(path, textOf({ ...secrets, [name]: value }), OWNER_ONLY);
}

/** Reads the secrets file, and adds generated keys that are missing. */
async function completed(path: string): Promise<Record<string, string>> {
  await createText(path, textOf(withOwnKeys({})), OWNER_ONLY);
  await takeOver(path);
  const secrets = await readSecretsFile(path);
  if (OWN_KEYS.every((name) => Object.hasOwn(secrets, name))) return secrets;
  const whole = withOwnKeys(secrets);
  await replaceText(path, textOf(whole), OWNER_ONLY);
  return whole;
}

/** Editors create files that all users can read. Fixes the mode, but not if other users could read the generated keys. */
async function takeOver(path: string): Promise<void> {
  const found = await stat(path);
  if (!found.isFile()) throw new ConfigError(`${path}: it is a folder, but a file is expected: move it away`);
  const { mode } = found;
  if ((mode & 0o077) === 0 || (await readFile(path, 'utf8')).includes(LOCAL_KEY)) return;
  await chmod(path, OWNER_ONLY);
  console.error(`note: other users could read ${path}; now only its owner can`);
}

function withOwnKeys(secrets: Record<string, string>): Record<string, string> {
  const drawn = OWN_KEYS.map((name) => [name, randomBytes(32).toString('base64url')]);
  return { ...Object.fromEntries(drawn), ...secrets };
}

function textOf(secrets: Record<string, string>): string {
  return `${JSON.stringify(secrets, null, 2)}\n`;
}

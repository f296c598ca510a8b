import { readFile, stat } from 'node:fs/promises';
import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import * as z from 'zod';
import { AWS_CONNECTION } from './aws-connection.ts';
import type { Clock } from './clock.ts';
import { ConfigError, UpstreamError } from './errors.ts';

export interface SecretReader {
  /**
   * The secret of this name, without the space around it: a newline at its end is invisible to the person who stored it. Throws
   * `ConfigError` if it does not exist or is empty, `UpstreamError` if it cannot be read now. Both name the secret and
   * never contain its value.
   */
  readSecret(name: string): Promise<string>;
}

const KEEP_MS = 5 * 60_000;

/** Secrets of AWS Secrets Manager, cached for five minutes, so that a rotated one is used soon. */
export function createSecretsManagerReader(
  clock: Clock,
  client: Pick<SecretsManagerClient, 'send'> = new SecretsManagerClient(AWS_CONNECTION),
): SecretReader {
  const kept = new Map<string, { value: Promise<string>; untilAt: number }>();
  return {
    readSecret(name) {
      const known = kept.get(name);
      if (known && clock.now() < known.untilAt) return known.value;
      const value = fetchSecret(client, name);
      kept.set(name, { value, untilAt: clock.now() + KEEP_MS });
      value.catch(() => kept.delete(name));
      return value;
    },
  };
}

async function fetchSecret(client: Pick<SecretsManagerClient, 'send'>, name: string): Promise<string> {
  const answer = await client.send(new GetSecretValueCommand({ SecretId: name })).catch((cause: unknown) => {
    if (cause instanceof ResourceNotFoundException)
      throw new ConfigError(`There is no secret "${name}" in Secrets Manager: create it`, { cause });
    throw new UpstreamError(`Secrets Manager failed to return the secret "${name}"`, {
      retryable: true,
      cause,
    });
  });
  // A blank secret counts as empty: everybody could guess it.
  const value = answer.SecretString?.trim();
  if (!value) throw new ConfigError(`The secret "${name}" is empty: set its value`);
  return value;
}

const secretsFileSchema = z.record(z.string(), z.string().min(1));

/** Secrets of a JSON file, `{"<name>": "<value>"}`, that only its owner may read. Reads the file each time. */
export function createSecretsFileReader(path: string): SecretReader {
  return {
    async readSecret(name) {
      const { [name]: value } = await readSecretsFile(path);
      if (value === undefined) throw new ConfigError(`There is no secret "${name}" in ${path}: add it`);
      if (value.trim() === '')
        throw new ConfigError(`The secret "${name}" in ${path} is blank: set its value`);
      return value.trim();
    },
  };
}

/** All secrets of the file. Throws `ConfigError` if it is invalid or unreadable, or other users may read it. */
export async function readSecretsFile(path: string): Promise<Record<string, string>> {
  const found = await stat(path).catch((cause: unknown) => {
    throw new ConfigError(`The secrets file ${path} cannot be read`, { cause });
  });
  if (found.mode & 0o077)
    throw new ConfigError(`Other users can read the secrets file ${path}: run chmod 600 on it`);
  try {
    return secretsFileSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    // Without a cause: errors of the parser and the schema quote the file.
    throw new ConfigError(`The secrets file ${path} is not JSON of the form {"<name>": "<value>"}`);
  }
}

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { ConfigError, UpstreamError } from '../../../shared/runtime/errors.ts';
import { createSecretsFileReader, createSecretsManagerReader } from '../../../shared/runtime/secrets.ts';

describe('Secrets Manager', () => {
  const clock = new ManualClock(0);
  const client = new SecretsManagerClient({ region: 'eu-central-1' });
  const send = vi.fn<(command: GetSecretValueCommand) => Promise<unknown>>();
  vi.spyOn(client, 'send').mockImplementation((command) => send(command as GetSecretValueCommand));

  beforeEach(() => send.mockReset());

  test('caches a secret for five minutes and shares concurrent reads', async () => {
    send.mockResolvedValueOnce({ SecretString: 'old' }).mockResolvedValueOnce({ SecretString: 'new' });
    const secrets = createSecretsManagerReader(clock, client);
    expect(await Promise.all([secrets.readSecret('slack'), secrets.readSecret('slack')])).toEqual([
      'old',
      'old',
    ]);
    expect(send.mock.calls.map(([command]) => command.input)).toEqual([{ SecretId: 'slack' }]);
    await clock.sleep(5 * 60_000);
    expect(await secrets.readSecret('slack')).toBe('new');
  });

  test('does not cache a failure', async () => {
    send.mockRejectedValueOnce(new Error('throttled')).mockResolvedValueOnce({ SecretString: 'value' });
    const secrets = createSecretsManagerReader(clock, client);
    await expect(secrets.readSecret('slack')).rejects.toThrow(UpstreamError);
    expect(await secrets.readSecret('slack')).toBe('value');
  });

  test.each(['value\n', ' value\r\n', '\tvalue '])(
    'returns %j without the space around it',
    async (stored) => {
      send.mockResolvedValueOnce({ SecretString: stored });
      expect(await createSecretsManagerReader(clock, client).readSecret('api-key')).toBe('value');
    },
  );

  test('keeps the line breaks within a secret', async () => {
    send.mockResolvedValueOnce({ SecretString: 'new\nold\n' });
    expect(await createSecretsManagerReader(clock, client).readSecret('signing-keys')).toBe('new\nold');
  });

  test('names the missing secret', async () => {
    send.mockRejectedValueOnce(new ResourceNotFoundException({ message: 'no', $metadata: {} }));
    const missing = createSecretsManagerReader(clock, client).readSecret('slack');
    await expect(missing).rejects.toThrow(
      new ConfigError('There is no secret "slack" in Secrets Manager: create it'),
    );
  });
});

describe('a secrets file', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'secrets-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  const fileOf = async (text: string, mode = 0o600) => {
    const path = join(directory, 'secrets.json');
    await writeFile(path, text, { mode });
    return createSecretsFileReader(path);
  };

  test('refuses a blank secret', async () => {
    const secrets = await fileOf('{ "slack": " " }');
    await expect(secrets.readSecret('slack')).rejects.toThrow(/The secret "slack" in .* is blank/);
  });

  test('returns the value of a secret by name', async () => {
    expect(await (await fileOf('{"slack": "value"}')).readSecret('slack')).toBe('value');
  });

  test.each([
    ['lacks the name', '{"other": "hunter2"}', 0o600, 'There is no secret "slack"'],
    ['is readable by others', '{"slack": "hunter2"}', 0o644, 'chmod 600'],
    ['is not JSON', '{"slack": hunter2}', 0o600, 'is not JSON of the form'],
    ['has a value that is not a string', '{"slack": ["hunter2"]}', 0o600, 'is not JSON of the form'],
  ])('refuses a file that %s, without quoting it', async (_, text, mode, message) => {
    const error: unknown = await (await fileOf(text, mode))
      .readSecret('slack')
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    expect(error).toHaveProperty('message', expect.stringContaining(message));
    expect(String((error as Error).message) + String((error as Error).cause)).not.toContain('hunter2');
  });

  test('names the path of a missing file', async () => {
    const secrets = createSecretsFileReader(join(directory, 'none.json'));
    await expect(secrets.readSecret('slack')).rejects.toThrow(`${directory}/none.json cannot be read`);
  });
});

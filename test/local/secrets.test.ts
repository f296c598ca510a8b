import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openLocalSecrets } from '../../local/secrets.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';

let folder: string;
const path = () => join(folder, 'secrets.json');
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'secrets-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

describe('openLocalSecrets', () => {
  it('creates two keys of 256 bits in a private file', async () => {
    const { apiKey, signingKey } = await openLocalSecrets(path(), {});
    for (const key of [apiKey, signingKey]) expect(key).toMatch(/^[\w-]{43}$/);
    expect(signingKey).not.toBe(apiKey);
    expect((await stat(path())).mode & 0o777).toBe(0o600);
    expect(await openLocalSecrets(path(), {})).toMatchObject({ apiKey, signingKey });
  });

  it('adds a missing signing key and keeps the other secrets', async () => {
    const before = { 'data-access-key': 'old', 'slack-webhook': 'https://file.example' };
    await writeFile(path(), JSON.stringify(before), { mode: 0o600 });
    const { apiKey, signingKey, find } = await openLocalSecrets(path(), {});
    expect({ apiKey, webhook: await find('slack-webhook') }).toEqual({
      apiKey: 'old',
      webhook: 'https://file.example',
    });
    expect((await stat(path())).mode & 0o777).toBe(0o600);
    expect((await openLocalSecrets(path(), {})).signingKey).toBe(signingKey);
  });

  it('prefers secrets of the environment to those of the file', async () => {
    await openLocalSecrets(path(), {});
    const kept: unknown = JSON.parse(await readFile(path(), 'utf8'));
    await writeFile(path(), JSON.stringify({ ...Object(kept), 'slack-webhook': 'https://file.example' }));
    const variables = { DELTAWATCH_SECRET_SLACK_WEBHOOK: 'https://environment.example' };
    expect(await (await openLocalSecrets(path(), {})).find('slack-webhook')).toBe('https://file.example');
    expect(await (await openLocalSecrets(path(), variables)).find('slack-webhook')).toBe(
      'https://environment.example',
    );
    expect(await (await openLocalSecrets(path(), {})).find('other')).toBeUndefined();
  });

  it.each([0o600, 0o644])('adds keys to a file that has only a webhook: mode %o', async (mode) => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
    await writeFile(path(), '{"slack-webhook": "https://file.example"}');
    await chmod(path(), mode);
    const { apiKey, signingKey, find } = await openLocalSecrets(path(), {});
    for (const key of [apiKey, signingKey]) expect(key).toMatch(/^[\w-]{43}$/);
    expect(await find('slack-webhook')).toBe('https://file.example');
    expect((await stat(path())).mode & 0o777).toBe(0o600);
    expect(await openLocalSecrets(path(), {})).toMatchObject({ apiKey, signingKey });
    expect(printed.mock.calls).toEqual(
      mode === 0o600 ? [] : [[expect.stringContaining('only its owner can')]],
    );
  });

  it.each(['', '{"slack-webhook": ', '{"slack-webhook": ""}', '["https://file.example"]'])(
    'rejects the file content %j without quoting or changing it',
    async (text) => {
      await writeFile(path(), text, { mode: 0o600 });
      const opening = openLocalSecrets(path(), {});
      await expect(opening).rejects.toThrow(/secrets\.json is not JSON of the form \{"<name>": "<value>"\}$/);
      await expect(opening).rejects.toThrow(ConfigError);
      expect(await readFile(path(), 'utf8')).toBe(text);
    },
  );

  it('rejects a file that others can read', async () => {
    await openLocalSecrets(path(), {});
    await chmod(path(), 0o644);
    await expect(openLocalSecrets(path(), {})).rejects.toThrow(ConfigError);
  });
});

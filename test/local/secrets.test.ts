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

describe('the secrets of this machine', () => {
  it('begin with two keys of 256 bits that stay, in a file for its owner only', async () => {
    const { apiKey, signingKey } = await openLocalSecrets(path(), {});
    for (const key of [apiKey, signingKey]) expect(key).toMatch(/^[\w-]{43}$/);
    expect(signingKey).not.toBe(apiKey);
    expect((await stat(path())).mode & 0o777).toBe(0o600);
    expect(await openLocalSecrets(path(), {})).toMatchObject({ apiKey, signingKey });
  });

  it('gain what signs links where they are from before there were any, and keep the rest', async () => {
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

  it('are found in the file, and before it in the environment', async () => {
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

  it.each([0o600, 0o644])(
    'are completed where somebody wrote only a webhook before the first start: mode %o',
    async (mode) => {
      const notified = vi.spyOn(console, 'error').mockImplementation(() => {});
      await writeFile(path(), '{"slack-webhook": "https://file.example"}');
      await chmod(path(), mode);
      const { apiKey, signingKey, find } = await openLocalSecrets(path(), {});
      for (const key of [apiKey, signingKey]) expect(key).toMatch(/^[\w-]{43}$/);
      expect(await find('slack-webhook')).toBe('https://file.example');
      expect((await stat(path())).mode & 0o777).toBe(0o600);
      expect(await openLocalSecrets(path(), {})).toMatchObject({ apiKey, signingKey });
      expect(notified.mock.calls).toEqual(
        mode === 0o600 ? [] : [[expect.stringContaining('only its owner can')]],
      );
    },
  );

  it.each(['', '{"slack-webhook": ', '{"slack-webhook": ""}', '["https://file.example"]'])(
    'are left as they are where the file says %j, and nothing of it is quoted',
    async (text) => {
      await writeFile(path(), text, { mode: 0o600 });
      const opening = openLocalSecrets(path(), {});
      await expect(opening).rejects.toThrow(/secrets\.json is not JSON of the form \{"<name>": "<value>"\}$/);
      await expect(opening).rejects.toThrow(ConfigError);
      expect(await readFile(path(), 'utf8')).toBe(text);
    },
  );

  it('are refused where others can read them', async () => {
    await openLocalSecrets(path(), {});
    await chmod(path(), 0o644);
    await expect(openLocalSecrets(path(), {})).rejects.toThrow(ConfigError);
  });
});

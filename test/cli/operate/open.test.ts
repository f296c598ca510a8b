import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openCommand } from '../../../cli/operate/open.ts';
import { signedLinks } from '../../../shared/adapters/links/signed-links.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { NOW, openDesk } from '../../functions/respond/desk.ts';

const KEY = 'k'.repeat(43);
const clock = new ManualClock(NOW);
const signer = signedLinks(async () => KEY, clock);

let printed: string[];
let said: string[];
let browsed: string[];
let asked: unknown[];
beforeEach(() => {
  [printed, said, browsed, asked] = [[], [], [], []];
  vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text));
  vi.spyOn(console, 'error').mockImplementation((text: string) => void said.push(text));
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => vi.restoreAllMocks());

const run = (...args: string[]) =>
  openCommand({
    clock,
    async readSecret(...secret) {
      asked.push(secret);
      return `${KEY}\n`;
    },
    browse: (url) => void browsed.push(url),
  })
    .exitOverride()
    .parseAsync(args, { from: 'user' });

const tokenIn = (url = '') => url.slice(url.lastIndexOf('/') + 1);

describe('deltawatch open', () => {
  it('prints only a sign-in link on stdout', async () => {
    await run('--url', 'https://watch.example.com/', '--as', 'Anna', '--to', '/alerts/sales?segment=a%20b');
    expect(printed).toEqual([expect.stringMatching(/^https:\/\/watch\.example\.com\/sign-in\/[\w.-]+$/)]);
    expect(said).toEqual(['The link signs in "Anna" once, within ten minutes. Do not share it.']);
    expect(await signer.verify('sign-in', tokenIn(printed[0]))).toMatchObject({
      claims: { by: 'Anna', to: '/alerts/sales?segment=a%20b' },
      expiresAt: NOW + 600_000,
    });
    expect(asked).toEqual([['deltawatch/production/session-keys', undefined]]);
    expect(browsed).toEqual([]);
  });

  it('prints a new link each time, and the page accepts each', async () => {
    const page = await openDesk();
    for (const _ of [1, 2]) await run('--url', 'https://watch.example.com', '--as', 'Anna');
    for (const url of printed) expect((await page.post(new URL(url).pathname)).status).toBe(303);
  });

  it('reads the secret of --secret, and opens a browser with --browser', async () => {
    const options = ['--secret', 'mine', '--profile', 'ops', '--browser'];
    await run('--url', 'https://watch.example.com', ...options);
    expect(asked).toEqual([['mine', 'ops']]);
    expect(browsed).toEqual(printed);
  });

  it.each([
    ['--url', 'http://watch.example.com'],
    ['--url', 'watch.example.com'],
    ['--url', 'https://anna:secret@watch.example.com'],
    ['--url', 'https://:secret@watch.example.com'],
    ['--url', 'https://watch.example.com/alerts'],
    ['--url', 'https://watch.example.com//'],
    ['--url', 'https://watch.example.com?app=shop'],
    ['--url', 'https://watch.example.com/#alerts'],
    ['--to', '//evil.example'],
    ['--to', 'alerts'],
    ['--as', ''],
    ['--as', '\u200b'],
    ['--as', 'x'.repeat(81)],
  ])('refuses %s %s', async (...options) => {
    await expect(run(...options)).rejects.toThrow(/\. Use /);
    expect(printed).toEqual([]);
  });
});

describe('deltawatch open on this machine', () => {
  it('prints the address of the page, without a sign-in', async () => {
    const server = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    await run('--port', port, '--to', '/alerts');
    server.close();
    expect(printed).toEqual([`http://127.0.0.1:${port}/alerts`]);
    expect(asked).toEqual([]);
    await expect(run('--port', port)).rejects.toThrow(/no Deltawatch answers at .* "npx deltawatch start"/);
  });
});

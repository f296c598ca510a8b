import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  eventually,
  type Folder,
  freePort,
  launchDeltawatch,
  RULES,
  type Running,
  temporaryFolder,
} from '../fixtures/deltawatch.ts';
import { openBrowser, visitorOf } from './browser.ts';

/** Long enough for some of the demo's incidents. */
const DAYS = 20;
/** Many times the duration on an idle machine. */
const LIVE_MS = 200_000;

let browser: Browser;
let folder: Folder;
let system: Running;
let url: string;
beforeAll(async () => {
  browser = await openBrowser();
  folder = await temporaryFolder();
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const options = ['--days', `${DAYS}`, '--port', `${port}`, '--state', folder.path, '--rules', RULES];
  system = launchDeltawatch(['start', ...options]);
});
afterAll(async () => {
  await browser.close();
  await system[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

test(
  'npm start shows its progress, and then its alerts with charts and answers',
  async () => {
    const printed = (words: string) => eventually(words, () => system.printed().includes(words) || undefined);
    const ended = system.ended.then(({ stderr }) => Promise.reject(new Error(stderr)));
    await Promise.race([printed(url), ended]);
    await using visitor = await visitorOf(browser, url);
    const { page, problems } = visitor;
    await page.goto('/');
    await page.getByRole('progressbar').waitFor();
    // The page reloads until the catch-up is complete.
    await Promise.race([
      page.getByRole('progressbar').waitFor({ state: 'detached', timeout: LIVE_MS }),
      ended,
    ]);
    await page.getByRole('link', { name: 'Slack' }).click();
    await page.waitForLoadState('load');

    const pictures = page.getByRole('article').getByRole('img');
    const widths = await pictures.evaluateAll((images: { naturalWidth: number }[]) =>
      images.map(({ naturalWidth }) => naturalWidth),
    );
    expect(widths.length).toBeGreaterThan(1);
    expect(widths.filter((width) => width < 1000)).toEqual([]);
    expect(await page.getByRole('link', { name: 'Acknowledge' }).count()).toBeGreaterThan(0);
    expect(problems).toEqual([]);
  },
  LIVE_MS,
);

import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import * as z from 'zod';
import { start } from '../../local/start.ts';
import { buildRuleSet } from '../../shared/rule-files/yaml-rule-files.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { blocksIn, documentAt } from '../docs/documents.ts';
import { eventually, type Folder, freePort, RULES, temporaryFolder } from '../fixtures/deltawatch.ts';
import { openBrowser } from './browser.ts';

/**
 * Takes the pictures of README.md from the demo shop, with the rule that README.md shows. The shop is the same at the
 * same time, so the pictures are too.
 *
 * Pixels differ with the fonts and the Chromium of a machine. Therefore a text file beside each picture holds what the
 * picture shows, and the test compares the text. With `-u` it writes both files. A change that only affects colours or
 * positions is not noticed: take the pictures again after it.
 */
const IMAGES = 'docs/images';
const COMMAND = 'npx vitest run --project browser test/browser/readme-pictures.test.ts -u';
const SECOND_INCIDENT_AT = Date.parse('2026-12-16T00:45:00Z');
/** Enough for the history that the rule compares with, and for an earlier incident. */
const DAYS = 85;
/** Many times the duration on an idle machine. */
const LIVE_MS = 280_000;
/** GitHub shows a picture 830 pixels wide at most. The text is still readable, and the header has room. */
const WIDTH = 1000;
const LARGEST_BYTES = 600_000;

const stop = new AbortController();
let browser: Browser;
let folder: Folder;
let page: Page;
let ended: Promise<void>;
beforeAll(async () => {
  [browser, folder] = await Promise.all([openBrowser(), temporaryFolder()]);
  const port = await freePort();
  ended = start({
    host: '127.0.0.1',
    port,
    stateDir: folder.path,
    figures: { kind: 'folder', dataDir: join(folder.path, 'data') },
    days: DAYS,
    ruleSet: await ruleSetOfReadme(),
    clock: new ManualClock(SECOND_INCIDENT_AT),
    signal: stop.signal,
  });
  page = await browser.newPage({
    baseURL: `http://127.0.0.1:${port}`,
    viewport: { width: WIDTH, height: 900 },
    deviceScaleFactor: 1.5,
    colorScheme: 'light',
    locale: 'en-GB',
  });
  await Promise.race([live(), ended.then(() => Promise.reject(new Error('the demo ended')))]);
}, LIVE_MS);
afterAll(async () => {
  await browser.close();
  stop.abort();
  await ended;
  await folder[Symbol.asyncDispose]();
});

async function ruleSetOfReadme() {
  const [shown] = blocksIn('yaml', [documentAt('README.md')]);
  const files = new Map([
    ['growth.yaml', shown?.text ?? ''],
    ['routes.yaml', await readFile(join(RULES, 'routes.yaml'), 'utf8')],
  ]);
  const loaded = buildRuleSet(RULES, files);
  if (loaded.kind !== 'loaded') throw new Error(JSON.stringify(loaded));
  return loaded.ruleSet;
}

async function live(): Promise<void> {
  await eventually('the page', async () => (await page.goto('/'))?.ok() || undefined);
  // The page reloads until the catch-up is complete.
  await page.getByRole('progressbar').waitFor({ state: 'detached', timeout: LIVE_MS });
}

test('message.png is a message of the demo', async () => {
  await page.goto('/slack');
  await page.evaluate(`document.querySelector('.message').style = 'padding: 1rem; border-bottom: 0'`);
  // Waits until the chart is drawn.
  await page.evaluate(`document.querySelector('.message .picture').decode()`);
  await expectCurrent('message', '.message');
});

test('page.png is the page of an alert, up to its chart', async () => {
  await page.goto('/alerts/added-to-cart', { waitUntil: 'networkidle' });
  await page.locator('figure canvas').waitFor();
  await page.evaluate(END_PAGE_AFTER_CHART);
  await expectCurrent('page', 'body');
});

test('the pictures load quickly', async () => {
  const sizes = await Promise.all(['message', 'page'].map((name) => stat(`${IMAGES}/${name}.png`)));
  expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(LARGEST_BYTES);
});

/** Compares the text with the file beside the picture, or writes both. */
async function expectCurrent(name: string, selector: string): Promise<void> {
  const file = join(process.cwd(), IMAGES, name);
  const screenshot = await page.locator(selector).first().screenshot();
  const text = z.string().parse(await page.evaluate(`(${TEXT})(document.querySelector('${selector}'))`));
  const why = `${IMAGES}/${name}.png is not current: run ${COMMAND}`;
  await expect(`${text.trim()}\n`, why).toMatchFileSnapshot(`${file}.txt`);
  if (inject('updates')) await writeFile(`${file}.png`, screenshot);
}

/** Removes what follows the chart, and the footer. */
const END_PAGE_AFTER_CHART = `
  document.head.append(...document.querySelectorAll('main link'));
  for (let part = document.querySelector('figure'); part !== document.body; part = part.parentElement)
    while (part.nextSibling) part.nextSibling.remove();
`;

/** The visible text of an element: pictures as their description, links and buttons in brackets. */
const TEXT = `(element) => {
  for (const picture of element.querySelectorAll('img, svg')) {
    const name = picture.getClientRects().length > 0 && (picture.alt || picture.getAttribute('aria-label'));
    const isInline = picture.tagName === 'svg' && !picture.closest('figure');
    picture.replaceWith(!name ? '' : isInline ? name : '[picture: ' + name + ']\\n');
  }
  for (const control of element.querySelectorAll('a, button')) {
    control.prepend('[');
    control.append(']');
  }
  return element.innerText.replaceAll(/\\n{3,}/g, '\\n\\n');
}`;

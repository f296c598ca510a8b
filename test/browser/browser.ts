import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { inject } from 'vitest';
import * as z from 'zod';

const SCREENSHOTS = join(import.meta.dirname, 'screenshots');

/** The widths and colour schemes of the tests. */
export const VIEWS = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [1280, 390].map((width) => ({ colorScheme, width })),
);
type View = (typeof VIEWS)[number];

export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: inject('chromium') });
}

export interface Visitor extends AsyncDisposable {
  page: Page;
  /** Problems so far: errors, violations of the content policy, requests to other hosts. */
  problems: string[];
}

/** A browser window that can only reach one site. */
export async function visitorOf(browser: Browser, site: string, view: Partial<View> = {}): Promise<Visitor> {
  const { width = 1280, colorScheme = 'light' } = view;
  const options: BrowserContextOptions = { baseURL: site, colorScheme, viewport: { width, height: 900 } };
  const context = await browser.newContext({ ...options, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`script: ${error.message}`));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${site}/`) && !request.url().startsWith('data:'))
      problems.push(`requested another host: ${request.url()}`);
  });
  page.on('requestfailed', (request) => {
    // Leaving a page cancels its pending requests.
    const why = request.failure()?.errorText ?? '';
    if (why !== 'net::ERR_ABORTED') problems.push(`failed: ${request.url()} ${why}`);
  });
  return { page, problems, [Symbol.asyncDispose]: () => context.close() };
}

const violationsSchema = z.object({
  violations: z.array(
    z.object({
      id: z.string(),
      impact: z.string().nullish(),
      help: z.string(),
      nodes: z.array(z.object({ html: z.string(), failureSummary: z.string().optional() })),
    }),
  ),
});

/** The serious and critical findings of axe on the current page. */
export async function barriersOn(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = violationsSchema.parse(await page.evaluate('axe.run()'));
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary = '' }) => `${id}: ${html} ${failureSummary}`),
    );
}

/** Whether the page scrolls horizontally. */
export async function isTooWide(page: Page): Promise<boolean> {
  return z
    .boolean()
    .parse(
      await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth'),
    );
}

/** Saves a screenshot for review. */
export async function keepScreenshot(page: Page, name: string, { colorScheme, width }: View): Promise<void> {
  await mkdir(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}-${colorScheme}-${width}.png`), fullPage: true });
}

/** More than the tab stops of any page. */
const MOST_STOPS = 200;

/** Presses Tab until the element with this name has the focus. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const isNamed = (text: string) => (typeof name === 'string' ? text === name : name.test(text));
  const passed: string[] = [];
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    await page.keyboard.press('Tab');
    const text = await page
      .locator('*:focus')
      .evaluate(FOCUSED_NAME)
      .then(String, () => '');
    if (isNamed(text)) return;
    passed.push(text);
  }
  throw new Error(`no stop is named ${name}; there are ${[...new Set(passed)].join(' | ')}`);
}

/** The accessible name of the focused element. */
const FOCUSED_NAME = `(() => {
  const element = document.activeElement;
  const label = element.labels?.[0] ?? element;
  return (element.getAttribute('aria-label') ?? label.innerText ?? '').trim();
})()`;

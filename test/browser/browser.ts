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
  /** The bytes of the page and of all that it has loaded, uncompressed. */
  bytes: () => Promise<number>;
  /** Problems so far: errors, violations of the content policy, requests to other hosts. */
  problems: string[];
}

/** A browser window that can only reach one site. */
export async function visitorOf(
  browser: Browser,
  site: string,
  view: Partial<View> & { javaScriptEnabled?: boolean } = {},
): Promise<Visitor> {
  const { width = 1280, colorScheme = 'light', javaScriptEnabled = true } = view;
  const options: BrowserContextOptions = { baseURL: site, colorScheme, viewport: { width, height: 900 } };
  const context = await browser.newContext({ ...options, javaScriptEnabled, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const problems: string[] = [];
  const bodies: Promise<Buffer>[] = [];
  page.on('response', (response) => bodies.push(response.body().catch(() => Buffer.alloc(0))));
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
  const bytes = async () => (await Promise.all(bodies)).reduce((sum, { length }) => sum + length, 0);
  return { page, problems, bytes, [Symbol.asyncDispose]: () => context.close() };
}

const violationsSchema = z.object({
  violations: z.array(
    z.object({
      id: z.string(),
      nodes: z.array(z.object({ html: z.string(), failureSummary: z.string().optional() })),
    }),
  ),
});

/** The findings of axe on the current page. */
export async function barriersOn(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = violationsSchema.parse(await page.evaluate('axe.run()'));
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${html} ${failureSummary}`),
  );
}

/** The elements that move by themselves, although the visitor asked for less motion. */
export async function movingOn(page: Page): Promise<string[]> {
  return z.array(z.string()).parse(await page.evaluate(MOVING));
}

const MOVING = `[...document.querySelectorAll('*')].filter((each) => {
  const { animationDuration, transitionDuration, scrollBehavior } = getComputedStyle(each);
  return animationDuration !== '0s' && animationDuration !== 'auto' || transitionDuration !== '0s' || scrollBehavior !== 'auto';
}).map((each) => each.outerHTML.slice(0, 100))`;

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
    // Not by a locator: none matches while the button within a date field has the focus.
    const text = String(await page.evaluate(FOCUSED_NAME));
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

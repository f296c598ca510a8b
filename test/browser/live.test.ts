import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openBrowser, type Visitor, visitorOf } from './browser.ts';
import { FALL, openShopSystem, type ShopSystem } from './shop-system.ts';

/** Lists that stay open in a window, and are worked on with the keyboard. */
let browser: Browser;
let shop: ShopSystem;
let visitor: Visitor;
let page: Page;
beforeAll(async () => {
  browser = await openBrowser();
});
beforeEach(async () => {
  shop = await openShopSystem();
  visitor = await visitorOf(browser, shop.url);
  page = visitor.page;
  await page.clock.install();
});
afterEach(async () => {
  await visitor[Symbol.asyncDispose]();
  await shop[Symbol.asyncDispose]();
});
afterAll(() => browser.close());

const main = () => page.getByRole('main').innerText();
const updated = () => page.locator('#updated').innerText();
const focused = () => page.locator('*:focus').innerText();

/** Waits until the page has been loaded again in the background. */
async function refresh(): Promise<void> {
  const answered = page.waitForEvent('requestfinished', { timeout: 10_000 });
  await page.clock.fastForward(30_000);
  await answered;
}

test('the overview shows a new alert in its place, and says when it was updated', async () => {
  await page.goto('/');
  const before = await updated();
  expect(before).toMatch(/^Updated \d\d:\d\d:\d\d/);
  await page.getByRole('main').evaluate('document.querySelector("main").dataset.same = "yes"');
  await shop.tick(FALL);
  await refresh();
  await expect.poll(main).toContain('1 alert open');
  expect(await updated()).not.toBe(before);
  // The page was not loaded as a whole.
  expect(await page.locator('main[data-same]').count()).toBe(1);
  expect(visitor.problems).toEqual([]);
});

test('a refresh keeps the focus, the scroll position and what is unfolded', async () => {
  await shop.tick(FALL);
  await page.setViewportSize({ width: 390, height: 300 });
  await page.goto('/alerts');
  await page.getByText('Filters').click();
  await page.getByRole('link', { name: 'Purchases' }).focus();
  await page.evaluate('scrollTo(0, 250)');
  const place = () => page.getByRole('link', { name: 'Purchases' }).boundingBox();
  const before = await place();
  await shop.tick(FALL + 1);
  await refresh();
  await expect.poll(main).toContain('Searches');
  expect(await focused()).toBe('Purchases');
  expect((await place())?.y).toBeCloseTo(before?.y ?? 0, 0);
  expect(await page.getByRole('search').isVisible()).toBe(true);
});

test.each([
  ['a box is ticked', () => page.getByRole('checkbox', { name: 'Select Purchases' }).check()],
  ['a reason is written', () => page.getByLabel(/^Reason/).fill('the provider')],
  ['a filter is chosen', () => page.getByLabel('Severity').selectOption('critical')],
])('nothing is replaced while %s, and the page says that there is news', async (_, edit) => {
  await shop.tick(FALL);
  await page.goto('/alerts');
  await edit();
  await shop.tick(FALL + 1);
  await refresh();
  await expect.poll(updated).toContain('There is news');
  expect(await main()).not.toContain('Searches');
});

test('a refresh that fails says so, and the next one that works takes it back', async () => {
  await shop.tick(FALL);
  await page.goto('/alerts');
  await page.route('**/alerts', (route) => route.fulfill({ status: 503, body: 'no' }));
  await refresh();
  await expect.poll(() => page.getByRole('alert').innerText()).toMatch(/^Not updated since \d\d:\d\d:\d\d/);
  await page.unroute('**/alerts');
  await refresh();
  await expect.poll(updated).toMatch(/^Updated/);
  expect(await page.getByRole('alert').count()).toBe(0);
});

test('alerts are selected and acknowledged with the keyboard alone', async () => {
  await shop.tick(FALL);
  await shop.tick(FALL + 1);
  await page.goto('/');
  await page.keyboard.press('g');
  await Promise.all([page.waitForURL('**/alerts'), page.keyboard.press('a')]);
  await page.keyboard.press('j');
  expect(await focused()).toBe('Purchases');
  await page.keyboard.press('x');
  await page.keyboard.press('j');
  expect(await focused()).toBe('Searches');
  await page.keyboard.press('x');
  await page.keyboard.press('a');
  // The name is missing, so the focus is on its field, where the keys are text.
  await page.keyboard.type('Ajax');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe('2 acknowledged');
  await page.goto('/alerts/purchases');
  expect(await main()).toContain('Acknowledged by Ajax');
});

test('the keys filter, list themselves, open a row, and can be turned off', async () => {
  await shop.tick(FALL);
  await page.goto('/rules');
  await page.keyboard.press('/');
  await page.keyboard.type('j?');
  expect(await page.getByRole('searchbox').inputValue()).toBe('j?');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('?');
  await expect.poll(() => page.getByRole('dialog').innerText()).toContain('next or previous row');
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await Promise.all([page.waitForURL('**/rules/purchases'), page.keyboard.press('Enter')]);
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
  await page.getByLabel('Shortcuts are on').uncheck();
  await page.keyboard.press('Escape');
  await page.goto('/rules');
  await page.keyboard.press('j');
  expect(await page.locator('tbody *:focus').count()).toBe(0);
});

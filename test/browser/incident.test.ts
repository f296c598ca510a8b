import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { HOUR_MS } from '../../shared/units/durations.ts';
import { openBrowser, tabTo, type Visitor, visitorOf } from './browser.ts';
import { FALL, openShopSystem, RECOVERY, type ShopSystem } from './shop-system.ts';

/** One incident from its first message to its end, handled with the keyboard only. */
let browser: Browser;
let shop: ShopSystem;
let visitor: Visitor;
let page: Page;
beforeAll(async () => {
  [browser, shop] = await Promise.all([openBrowser(), openShopSystem()]);
  visitor = await visitorOf(browser, shop.url);
  page = visitor.page;
});
afterEach(() => expect(visitor.problems).toEqual([]));
afterAll(async () => {
  await browser.close();
  await shop[Symbol.asyncDispose]();
});

const heading = (): Promise<string> => page.getByRole('heading', { level: 1 }).innerText();
const main = (): Promise<string> => page.getByRole('main').innerText();
const messages = (): Locator => page.getByRole('main').getByRole('article');

/** Focuses the control with this name, presses Enter, and waits for the next page. */
async function press(name: string | RegExp): Promise<void> {
  await tabTo(page, name);
  await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
}

async function write(label: string | RegExp, text: string): Promise<void> {
  await tabTo(page, label);
  await page.keyboard.type(text);
}

test('the overview shows no open alerts before the incident', async () => {
  await page.goto('/');
  expect(await heading()).toBe('No open alerts');
});

test('the message of the incident arrives with a chart', async () => {
  await shop.tick(FALL);
  await press('Slack');
  expect(await messages().count()).toBe(1);
  expect(await messages().innerText()).toContain('Purchases down 80%');
  const picture = messages().getByRole('img', { name: /: 205, expected 1,051/ });
  await picture.scrollIntoViewIfNeeded();
  await expect
    .poll(() => picture.evaluate((image: { naturalWidth: number }) => image.naturalWidth))
    .toBeGreaterThan(1000);
});

test('the link in the message asks for confirmation, then acknowledges', async () => {
  await press('Acknowledge');
  const link = page.url();
  expect(await heading()).toMatch(/^Acknowledge/);
  // Programs that preview links change nothing.
  for (const method of ['GET', 'HEAD'])
    expect((await page.request.fetch(link, { method })).status()).toBe(200);
  await page.goto('/alerts/purchases');
  expect(await main()).toContain('Not acknowledged.');

  await page.goto(link);
  await write(/^Your name/, 'Anna');
  await write(/^Reason/, 'the payment provider is down');
  await press('Acknowledge');
  expect(await main()).toMatch(/Anna/);
  await page.goto('/');
  expect(await main()).toContain('Anna');
  expect(await main()).not.toContain('Not acknowledged.');
});

test('the channel gets a message about the acknowledgement', async () => {
  await shop.sweep();
  await press('Slack');
  expect(await messages().first().innerText()).toMatch(/Anna.*the payment provider is down/s);
});

test('a used link has no effect and shows who used it', async () => {
  const used = messages().last().getByRole('link', { name: 'Acknowledge' });
  await page.goto((await used.getAttribute('href')) ?? '');
  expect(await main()).toMatch(/Anna used this link/);
  expect(await page.getByRole('button').count()).toBe(0);
  // The browser reports the expected error response.
  expect(visitor.problems.splice(0)).toEqual([expect.stringContaining('410')]);
});

test('the page of the alert can snooze it', async () => {
  await page.goto('/');
  await press('Purchases');
  expect(await heading()).toBe('Purchases');
  await press('Snooze 1 day');
  expect(await main()).toMatch(/snoozed/i);
});

test('a silenced rule is evaluated, and sent when the silence ends', async () => {
  await press('Silences');
  await write('Rule', 'searches');
  await write('Duration in hours', '72');
  await write(/^Reason/, 'the search is moved');
  await press('Add silence');
  expect(await main()).toContain('the search is moved');

  await shop.tick(FALL + 1);
  await shop.sweep(HOUR_MS);
  await press('Slack');
  expect(await messages().filter({ hasText: 'Searches' }).count()).toBe(0);
  await press('Overview');
  expect(await main()).toContain('Searches');

  await press('Silences');
  await press(/^End/);
  await shop.sweep();
  await press('Slack');
  expect(await messages().first().innerText()).toMatch(/Searches down 80%.*held back/is);
});

test('the incident recovers, and the overview shows no open alerts', async () => {
  await shop.tick(FALL + 2);
  await shop.tick(RECOVERY);
  await press('Slack');
  const last = await messages().first().innerText();
  expect(last).toMatch(/recovered/i);
  for (const title of ['Purchases', 'Searches']) expect(last).toContain(title);
  await press('Overview');
  expect(await heading()).toBe('No open alerts');
});

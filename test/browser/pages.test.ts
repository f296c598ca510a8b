import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { barriersOn, isTooWide, keepScreenshot, movingOn, openBrowser, VIEWS, visitorOf } from './browser.ts';
import { FALL, openShopSystem, type ShopSystem } from './shop-system.ts';

/** The URL of the answer page is only known at run time. */
const PAGES: Record<string, string | undefined> = {
  answer: undefined,
  overview: '/',
  alerts: '/alerts',
  alert: '/alerts/purchases',
  rules: '/rules',
  rule: '/rules/purchases',
  timeline: '/timeline',
  silences: '/silences',
  deliveries: '/deliveries',
  health: '/health',
  audit: '/audit',
  inbox: '/slack',
};

/** Of a page with its scripts and styles. The inbox also has the charts of messages, as pictures. */
const MOST_BYTES = 150_000;

/** One acknowledged alert, one open alert, and a silence. */
let browser: Browser;
let shop: ShopSystem;
let link: string;
beforeAll(async () => {
  [browser, shop] = await Promise.all([openBrowser(), openShopSystem()]);
  await shop.tick(FALL);
  const acknowledged = { rule: 'purchases', answer: 'acknowledge', by: 'Anna', reason: 'it is the provider' };
  await post('/alerts/answer', acknowledged);
  await post('/silences', { owner: 'ads*', hours: '72', by: 'Anna', reason: 'the campaign ends' });
  await shop.tick(FALL + 1);
  await using visitor = await visitorOf(browser, shop.url);
  await visitor.page.goto('/slack');
  const answer = visitor.page.getByRole('link', { name: 'Snooze 1 h' }).first();
  link = (await answer.getAttribute('href')) ?? '';
});
afterAll(async () => {
  await browser.close();
  await shop[Symbol.asyncDispose]();
});

async function post(path: string, form: Record<string, string>): Promise<void> {
  const headers = { origin: shop.url };
  const sent = await fetch(`${shop.url}${path}`, {
    method: 'POST',
    headers,
    body: new URLSearchParams(form),
    redirect: 'manual',
  });
  expect(sent.status).toBe(303);
}

describe.each(VIEWS)('in $colorScheme, $width wide', (view) => {
  test.each(Object.entries(PAGES))(
    'the page %s is accessible, fits its width, is still and small, and loads nothing from other hosts',
    async (name, path) => {
      await using visitor = await visitorOf(browser, shop.url, view);
      const { page, problems } = visitor;
      await page.goto(path ?? link);
      await keepScreenshot(page, name, view);
      expect(await barriersOn(page)).toEqual([]);
      expect(await isTooWide(page)).toBe(false);
      expect(await movingOn(page)).toEqual([]);
      if (name !== 'inbox') expect(await visitor.bytes()).toBeLessThan(MOST_BYTES);
      expect(problems).toEqual([]);
    },
  );
});

test('a list of alerts has room for long units, and its box is beside its label', async () => {
  await using visitor = await visitorOf(browser, shop.url);
  const { page } = visitor;
  await page.goto('/alerts');
  await page.evaluate(
    "document.querySelector('.alerts .movement').append(' recipe_saved_by_guest per recipe_opened_by_guest')",
  );
  expect(await isTooWide(page)).toBe(false);
  const label = await page.locator('label', { hasText: 'Select all' }).boundingBox();
  expect(label?.height).toBeLessThan(30);
});

test.each(Object.entries(PAGES))('the page %s shows the same without scripts', async (_, path) => {
  await using scripted = await visitorOf(browser, shop.url);
  await using plain = await visitorOf(browser, shop.url, { javaScriptEnabled: false });
  const shown = async ({ page }: typeof plain) => {
    await page.goto(path ?? link);
    const parts = page
      .locator('main')
      .locator('h1, h2, p:not(.scripted, figure p), summary, th, td, dd, button');
    return (await parts.allInnerTexts()).map((text) => text.trim());
  };
  expect(await shown(plain)).toEqual(await shown(scripted));
});

test.each([
  ['a script', `document.body.append(Object.assign(document.createElement('script'), { text: 'bad = 1' }))`],
  ['a style', `document.body.insertAdjacentHTML('beforeend', '<p style="color: red">a</p>')`],
  ['a picture of another host', `new Image().src = 'https://elsewhere.example/a.png'`],
])('%s that the policy forbids is not used, and would fail the tests of pages', async (_, smuggle) => {
  await using visitor = await visitorOf(browser, shop.url);
  await visitor.page.goto('/');
  await visitor.page.evaluate(smuggle);
  await expect.poll(() => visitor.problems.join()).toContain('Content Security Policy');
  expect(await visitor.page.evaluate('typeof bad')).toBe('undefined');
});

test('an unknown page links to the overview', async () => {
  await using visitor = await visitorOf(browser, shop.url);
  await visitor.page.goto('/nowhere');
  expect(await barriersOn(visitor.page)).toEqual([]);
  await visitor.page.getByRole('main').getByRole('link').first().click();
  expect(visitor.page.url()).toBe(`${shop.url}/`);
});

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { barriersOn, isTooWide, keepScreenshot, openBrowser, VIEWS, visitorOf } from './browser.ts';
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
  inbox: '/slack',
};

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
    'the page %s is accessible, fits its width and loads nothing from other hosts',
    async (name, path) => {
      await using visitor = await visitorOf(browser, shop.url, view);
      const { page, problems } = visitor;
      await page.goto(path ?? link);
      await keepScreenshot(page, name, view);
      expect(await barriersOn(page)).toEqual([]);
      expect(await isTooWide(page)).toBe(false);
      expect(problems).toEqual([]);
    },
  );
});

test('an unknown page links to the overview', async () => {
  await using visitor = await visitorOf(browser, shop.url);
  await visitor.page.goto('/nowhere');
  expect(await barriersOn(visitor.page)).toEqual([]);
  await visitor.page.getByRole('main').getByRole('link').first().click();
  expect(visitor.page.url()).toBe(`${shop.url}/`);
});

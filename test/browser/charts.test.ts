import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../shared/units/durations.ts';
import { MONDAY, ruleNamed } from '../fixtures/builders.ts';
import { barriersOn, isTooWide, keepScreenshot, openBrowser, VIEWS, visitorOf } from './browser.ts';
import { FALL, openShopSystem, type ShopSystem } from './shop-system.ts';

const common = { settle: '10 minutes', recover_after: '1 of 1' };
const RULES = [
  ruleNamed('purchases', { ...common, title: 'Purchases', compare: { to: 'same_weekday' } }),
  ruleNamed('countries', { ...common, title: 'Purchases by country', group_by: 'device_country' }),
];
const COUNTRIES = { Germany: 0.5, Spain: 0.3, Malta: 0.15, Peru: 0.03, Chile: 0.015, Fiji: 0.005 };

/** Purchases in six countries, which fall in Spain on the last day. */
function eventsOn(day: number) {
  const all = 9000 + 600 * (day % 7) + ((day * 37) % 410);
  return Object.entries(COUNTRIES).map(([device_country, share]) => ({
    endpoint: 'event' as const,
    at: MONDAY + day * DAY_MS + 12 * HOUR_MS,
    attributes: { event_name: 'purchase', device_country },
    figures: {
      event_count: Math.round(all * share * (day === FALL && device_country === 'Spain' ? 0.2 : 1)),
    },
  }));
}

let browser: Browser;
let shop: ShopSystem;
beforeAll(async () => {
  [browser, shop] = await Promise.all([openBrowser(), openShopSystem(RULES, eventsOn)]);
  await shop.tick(FALL);
  const note = {
    app: 'demo',
    text: 'New checkout',
    minutes_ago: '4000',
    back: '/rules/purchases',
    by: 'Anna',
  };
  const headers = { origin: shop.url };
  const sent = await fetch(`${shop.url}/notes`, {
    method: 'POST',
    headers,
    body: new URLSearchParams(note),
    redirect: 'manual',
  });
  expect(sent.headers.get('location')).toContain('done=noted');
});
afterAll(async () => {
  await browser.close();
  await shop[Symbol.asyncDispose]();
});

const reading = (page: Page) => page.locator('.reading');
const plot = (page: Page) => page.getByRole('application');

/** The window, value and expectation of a row of the table, counted from the newest. */
async function rowOf(page: Page, back: number): Promise<string[]> {
  const cells = await page.locator('figure ~ details tbody tr').nth(back).locator('th, td').allTextContents();
  return cells.map((each) => each.trim());
}

async function openChart(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await plot(page).locator('canvas').waitFor();
}

describe.each(VIEWS)('in $colorScheme, $width wide', (view) => {
  test.each([
    ['chart', '/alerts/purchases'],
    ['chart-of-segments', '/rules/countries'],
  ])('the page %s is accessible and fits its width', async (name, path) => {
    await using visitor = await visitorOf(browser, shop.url, view);
    const { page, problems } = visitor;
    await openChart(page, path);
    await keepScreenshot(page, name, view);
    expect(await barriersOn(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    expect(problems).toEqual([]);
  });
});

test('the pointer reads what the table says, and the last window without it', async () => {
  await using visitor = await visitorOf(browser, shop.url);
  const { page, problems } = visitor;
  await openChart(page, '/rules/purchases');
  for (const back of [0, 9]) {
    const box = await plot(page).locator('.u-over').boundingBox();
    if (!box) throw new Error('the chart has no area');
    const rows = await page.locator('figure ~ details tbody tr').count();
    await page.mouse.move(box.x + (box.width * (rows - 1 - back)) / (rows - 1), box.y + box.height / 2);
    const [window = '', value = '', expected = ''] = await rowOf(page, back);
    await expect.poll(() => reading(page).innerText()).toContain(window);
    expect(await reading(page).innerText()).toContain(`${value}, expected ${expected}`);
  }
  await page.mouse.move(0, 0);
  await expect.poll(() => reading(page).innerText()).toContain((await rowOf(page, 0))[0]);
  expect(problems).toEqual([]);
});

test('arrow keys move through the windows', async () => {
  await using visitor = await visitorOf(browser, shop.url);
  const { page } = visitor;
  await openChart(page, '/rules/purchases');
  await plot(page).focus();
  for (const [key, back] of [
    ['ArrowLeft', 0],
    ['ArrowLeft', 1],
    ['ArrowRight', 0],
    ['ArrowRight', 0],
  ] as const) {
    await page.keyboard.press(key);
    const [window = ''] = await rowOf(page, back);
    await expect.poll(() => reading(page).innerText()).toContain(window);
  }
  await page.keyboard.press('Home');
  const rows = await page.locator('figure ~ details tbody tr').count();
  const [first = ''] = await rowOf(page, rows - 1);
  await expect.poll(() => reading(page).innerText()).toContain(first);
  expect(await reading(page).getAttribute('aria-live')).toBe('polite');
});

test('dragging zooms in, and Escape and a double click zoom out', async () => {
  await using visitor = await visitorOf(browser, shop.url);
  const { page } = visitor;
  await openChart(page, '/rules/purchases');
  const [, , , , , , , , , , middle = ''] = await Promise.all(
    Array.from({ length: 11 }, async (_, back) => (await rowOf(page, back))[0]),
  );
  const box = await plot(page).locator('.u-over').boundingBox();
  if (!box) throw new Error('the chart has no area');
  const y = box.y + box.height / 2;
  const rows = await page.locator('figure ~ details tbody tr').count();
  const xOf = (back: number) => box.x + (box.width * (rows - 1 - back)) / (rows - 1);
  const zoom = async () => {
    await page.mouse.move(xOf(10.4), y);
    await page.mouse.down();
    await page.mouse.move(xOf(4.6), y, { steps: 5 });
    await page.mouse.up();
  };
  /** The first window that the keys reach. */
  const first = async () => {
    await plot(page).focus();
    await page.keyboard.press('Home');
    return (await reading(page).innerText()).split('\n')[0];
  };
  const whole = await first();
  await zoom();
  await expect.poll(first).toBe(middle);
  await page.keyboard.press('Escape');
  await expect.poll(first).toBe(whole);
  await zoom();
  await expect.poll(first).toBe(middle);
  await page.mouse.dblclick(xOf(7), y);
  await expect.poll(first).toBe(whole);
});

test('several segments are drawn, others can be chosen, also as shares of the total', async () => {
  await using visitor = await visitorOf(browser, shop.url);
  const { page, problems } = visitor;
  await openChart(page, '/rules/countries');
  const texts = () => reading(page).locator('span').allInnerTexts();
  const names = async () => (await texts()).map((each) => each.split(':')[0]);
  expect(await names()).toEqual(['Spain', 'Germany', 'Malta', 'Peru', 'Chile']);
  for (const name of ['Malta', 'Peru', 'Chile']) await page.getByLabel(name, { exact: true }).uncheck();
  await page.getByRole('button', { name: 'Show' }).click();
  await expect.poll(names).toEqual(['Spain', 'Germany']);
  expect((await texts())[0]).toMatch(/^Spain: \d+, expected .* \(.*\), breached$/);
  await page.getByLabel('Share of the total').check();
  await expect.poll(async () => (await texts())[0]).toMatch(/^Spain: 7\.\d+% of the total, breached$/);
  expect(problems).toEqual([]);
});

test('the times of a weekly chart are the starts of its weeks, and none is cut', async () => {
  await using visitor = await visitorOf(browser, shop.url);
  const { page } = visitor;
  // As text: the types of this project have no canvas.
  await page.addInitScript(`const { fillText } = CanvasRenderingContext2D.prototype;
    window.drawn = [];
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
      drawn.push({ text, end: x + this.measureText(text).width / 2, width: this.canvas.width });
      fillText.call(this, text, x, y);
    };`);
  await page.route('**/series?*', async (route) => {
    const answer = await route.fetch();
    const { series, ...others } = await answer.json();
    const at = (week: number) => new Date(MONDAY + 7 * week * DAY_MS).toISOString();
    const windows = Array.from({ length: 9 }, (_, i) => ({
      start: at(i),
      end: at(i + 1),
      text: `week ${i}`,
    }));
    await route.fulfill({ json: { ...others, window: 'week', windows, series } });
  });
  await openChart(page, '/rules/purchases');
  const drawn: { text: string; end: number; width: number }[] = await page.evaluate('window.drawn');
  const times = drawn.filter(({ text }) => /^\d+ [A-Z]/.test(text));
  const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const weeks = Array.from({ length: 9 }, (_, i) => day.format(MONDAY + 7 * i * DAY_MS));
  expect(weeks).toEqual(expect.arrayContaining(times.map(({ text }) => text)));
  expect(times.map(({ text }) => text)).toContain(weeks.at(-1));
  for (const { text, end, width } of times) expect(end, text).toBeLessThan(width);
});

test('a share that is unknown is not said to be 0%', async () => {
  await using visitor = await visitorOf(browser, shop.url);
  const { page } = visitor;
  await page.route('**/series?*', async (route) => {
    const answer = await route.fetch();
    const series = await answer.json();
    for (const each of series.series)
      Object.assign(each, { values: each.values.fill(null), texts: each.texts.fill('no value') });
    await route.fulfill({ json: { ...series, total: series.total.fill(null) } });
  });
  await openChart(page, '/rules/countries?share=yes');
  await expect.poll(() => reading(page).locator('span').first().innerText()).toBe('Spain: no value');
});

test('a range of time can be chosen', async () => {
  await using visitor = await visitorOf(browser, shop.url);
  const { page } = visitor;
  await openChart(page, '/rules/purchases');
  await page.getByLabel('From').fill('2026-03-20');
  await page.getByLabel('Through', { exact: true }).fill('2026-03-24');
  await page.getByRole('button', { name: 'Show' }).click();
  await expect.poll(() => reading(page).innerText()).toContain('Tue 24 Mar 2026 (UTC)');
  expect(await page.locator('figure ~ details tbody tr').count()).toBe(5);
});

test('notes are read in their windows', async () => {
  await using visitor = await visitorOf(browser, shop.url);
  const { page } = visitor;
  await openChart(page, '/rules/purchases');
  await plot(page).focus();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => reading(page).innerText()).toContain('Note: New checkout');
});

test('without scripts there is the picture, and the form works', async () => {
  const context = await browser.newContext({ baseURL: shop.url, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto('/rules/countries');
  expect(await page.locator('figure > svg').isVisible()).toBe(true);
  await page.getByLabel('Spain', { exact: true }).uncheck();
  await page.getByLabel('From').fill('2026-03-20');
  await page.getByRole('button', { name: 'Show' }).click();
  expect(await page.locator('figcaption').innerText()).toContain('Germany');
  expect(await page.getByLabel('From').inputValue()).toBe('2026-03-20');
  await context.close();
});

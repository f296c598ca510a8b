import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseMapping } from '../../local/data/import/fields.ts';
import { importEvents } from '../../local/data/import/import-events.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import {
  eventually,
  type Folder,
  freePort,
  launchDeltawatch,
  type Running,
  temporaryFolder,
} from '../fixtures/deltawatch.ts';
import { barriersOn, isTooWide, keepScreenshot, openBrowser, tabTo, VIEWS, visitorOf } from './browser.ts';

const RULES = `
rules:
  - id: orders
    title: Orders
    app: bikes
    owner: bikes-team
    every: day at 00:00
    metric: event_count
    filters: [{ attribute: event_name, operator: equal, value: order_placed }]
    fire: { change: { below: -90% } }
`;
const ROUTES = `
channels:
  team: { slack: { webhook_secret: slack-webhook } }
default: [team]
`;

const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const DAYS = 40;
/** A team's own events: Spain has 100 orders a day, and 20 yesterday. */
const ORDERS = Array.from({ length: DAYS }, (_, day) =>
  ['Spain', 'Portugal'].flatMap((country) =>
    Array.from({ length: country === 'Spain' && day === DAYS - 2 ? 20 : 100 }, (__, i) => {
      const at = TODAY - (DAYS - 1 - day) * DAY_MS + i * 600_000;
      return {
        event_name: 'order_placed',
        user_id: `${country}${i}`,
        country,
        plan: i % 2 ? 'pro' : 'free',
        at,
      };
    }),
  ),
)
  .flat()
  .filter(({ at }) => at < Date.now())
  .map(({ at, ...order }) => JSON.stringify({ ...order, recorded_at: new Date(at).toISOString() }));

let browser: Browser;
let folder: Folder;
let system: Running;
let url: string;
beforeAll(async () => {
  [browser, folder] = await Promise.all([openBrowser(), temporaryFolder()]);
  const [rules, state, file] = ['rules', 'state', 'orders.ndjson'].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ];
  await mkdir(rules);
  await writeFile(join(rules, 'orders.yaml'), RULES);
  await writeFile(join(rules, 'routes.yaml'), ROUTES);
  await writeFile(file, ORDERS.join('\n'));
  const mapping = parseMapping([], []);
  const dir = join(state, 'data');
  await importEvents({ file, dir, app: 'bikes', mapping, timeFormat: 'iso', skipBad: false });
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const flags = ['--rules', rules, '--state', state, '--port', `${port}`, '--days', '3'];
  system = launchDeltawatch(['start', ...flags]);
  await eventually('being live', () => system.printed().includes('Now live') || undefined, 60_000);
});
afterAll(async () => {
  await browser.close();
  await system[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** How a visitor chooses and writes: with the mouse or with the keyboard only. */
interface Hand {
  press(page: Page, name: string): Promise<unknown>;
  write(page: Page, label: string, text: string): Promise<unknown>;
}
const HANDS: Record<string, Hand> = {
  mouse: {
    press: (page, name) => page.getByText(name, { exact: true }).first().click(),
    write: (page, label, text) => page.getByLabel(label, { exact: true }).fill(text),
  },
  keyboard: {
    async press(page, name) {
      await tabTo(page, name);
      await page.keyboard.press('Enter');
    },
    async write(page, label, text) {
      await tabTo(page, label);
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.type(text);
    },
  },
};

test.each([
  ['mouse', 'Orders in Spain', 'bikes-orders-in-spain'],
  ['keyboard', 'Spanish orders', 'bikes-spanish-orders'],
])(
  'orders look odd in Spain: with the %s, from the overview to a rule and its first message',
  async (hand, title, id) => {
    await using visitor = await visitorOf(browser, url);
    const { page, problems } = visitor;
    const { press, write } = HANDS[hand] as Hand;
    await page.goto('/');
    const beganAt = performance.now();
    await press(page, 'Explore');
    await page.waitForURL(/explore/);
    if ((await page.getByLabel('Metric or event').inputValue()) === '')
      await write(page, 'Metric or event', 'order_placed');
    await write(page, 'Fires on a change of', '-50%');
    await write(page, 'Title of the rule', title);
    await press(page, 'Filters');
    await write(page, 'Filter 1', 'device_country');
    await write(page, 'Value 1', 'Spain');
    await press(page, 'Show');
    await page.getByRole('heading', { name: 'When it would have fired' }).waitFor();
    expect(await page.locator('#fires').innerText()).toMatch(/100 to 20 \(-80%\)/);
    await press(page, `Write to ${join(folder.path, 'rules')}/${id}.yaml`);
    await page.waitForURL(/\/rules\//);
    expect(await page.getByRole('status').innerText()).toContain('written');
    await press(page, 'Slack');
    await page.waitForURL(/slack/);
    expect(await page.getByRole('main').innerText()).toContain(`${title} down 80%`);
    const seconds = (performance.now() - beganAt) / 1000;
    console.log(`from the overview to the first message with the ${hand}: ${seconds.toFixed(1)} s`);
    expect(seconds).toBeLessThan(120);
    expect(problems).toEqual([]);
    expect(await readdir(join(folder.path, 'rules'))).toEqual(
      expect.arrayContaining([`${id}.yaml`, `${id}.test.yaml`]),
    );
  },
);

const PAGES = {
  explore: '/explore?watch=order_placed&group=device_country&change=-50%25',
  'explore-wrong': '/explore?watch=order_placd&change=lots&attribute1=cuntry&value1=Spain',
  events: '/alerts/orders/events',
};
describe.each(VIEWS)('in $colorScheme, $width wide', (view) => {
  test.each(Object.entries(PAGES))('the page %s is accessible and fits its width', async (name, path) => {
    await using visitor = await visitorOf(browser, url, view);
    const { page, problems } = visitor;
    await page.goto(path);
    await keepScreenshot(page, name, view);
    expect(await barriersOn(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    expect(problems).toEqual([]);
  });
});

test('the rule is copied', async () => {
  await using visitor = await visitorOf(browser, url);
  const { page } = visitor;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(PAGES.explore);
  await page.getByRole('button', { name: 'Copy' }).first().click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toContain('group_by: device_country');
});

test('an alert shows the events behind its figure', async () => {
  await using visitor = await visitorOf(browser, url);
  const { page } = visitor;
  await page.goto('/alerts/orders');
  await page.getByRole('link', { name: 'Show the events' }).click();
  expect(await page.getByRole('row').count()).toBe(51);
  expect(await page.getByRole('table').innerText()).toContain('plan: "pro"');
});

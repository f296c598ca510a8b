import { beforeEach, expect, test } from 'vitest';
import { alertOf, dayAt, ruleNamed, ruleSetOf } from '../../../fixtures/builders.ts';
import { createScene, firing, HOSTILE, type Scene } from './scene.ts';

const purchases = ruleNamed('purchases', { title: 'Purchases fell', severity: 'critical', app: 'shop' });
const signUps = ruleNamed('sign-ups', { title: 'Sign-ups moved', group_by: 'device_country' });
const quiet = ruleNamed('quiet', { title: 'Quiet rule' });

let scene: Scene;
beforeEach(async () => {
  scene = createScene();
  await scene.rules.save(ruleSetOf(purchases, signUps, quiet));
  await scene.alerts.save(
    firing(purchases, { incidents: [dayAt(-100), dayAt(-30), { ...dayAt(1), endAt: dayAt(2).endAt }] }),
  );
  await scene.alerts.save(alertOf(signUps, { segment: HOSTILE, incidents: [dayAt(-3)] }));
  await scene.alerts.save(alertOf(signUps, { segment: null, incidents: [dayAt(-2)] }));
});

/** The text of each row. */
async function rows(query = ''): Promise<string[]> {
  const { html } = await scene.get(`/timeline${query}`);
  const body = html.match(/<tbody>.*<\/tbody>/s)?.[0] ?? '';
  return [...body.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    row
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  );
}

test('lists the incidents of 90 days, newest first, each with the chart of its time', async () => {
  const { html } = await scene.get('/timeline');
  expect(await rows()).toEqual([
    'Purchases fell critical Tue 3 Mar 2026, 00:00 (UTC) firing',
    expect.stringMatching(/^Sign-ups moved device_country &lt;script&gt;.* warning Fri 27 Feb 2026, 00:00/),
    'Purchases fell critical Sat 31 Jan 2026, 00:00 (UTC) Sun 1 Feb 2026, 00:00 (UTC) , 32 days ago',
  ]);
  expect(html).toContain('<span class="badge warn">warning</span>');
  const paths = [...html.matchAll(/<a href="(\/alerts\/[^"]*)">/g)].map(([, path]) => path);
  expect(paths).toEqual([
    '/alerts/purchases',
    expect.stringMatching(/^\/alerts\/sign-ups\?segment=%3Cscript/),
    '/alerts/purchases?until=2026-02-03T00%3A00%3A00.000Z#series',
  ]);
});

test.each([
  ['?app=shop', 2],
  ['?severity=warning', 1],
  ['?app=shop&severity=warning', 0],
])('%s leaves %d incidents', async (query, count) => {
  expect(await rows(query)).toHaveLength(count);
  const { text } = await scene.get(`/timeline${query}`);
  expect(text.includes('Nothing matches the filters')).toBe(count === 0);
});

test('lists notes, those of the chosen app and of all apps', async () => {
  const note = { by: 'Anna', app: 'shop' };
  await scene.notes.save({ ...note, id: 'a', text: `release ${HOSTILE}`, at: dayAt(-4).startAt });
  await scene.notes.save({ ...note, id: 'c', text: 'elsewhere', app: 'bank', at: dayAt(1).startAt });
  await scene.notes.save({ ...note, id: 'd', text: 'DNS outage', app: null, at: dayAt(1).startAt });
  await scene.notes.save({ ...note, id: 'e', text: 'long ago', at: dayAt(-200).startAt });
  const { html, text } = await scene.get('/timeline');
  expect(text).toMatch(/DNS outage Tue 3 Mar 2026, 00:00 \(UTC\), 2 days ago, by Anna, for all apps/);
  expect(text).toMatch(/elsewhere .*, by Anna, app bank .*release/);
  expect(text).not.toContain('long ago');
  expect(html).not.toContain('<script>alert');
  const ofShop = (await scene.get('/timeline?app=shop')).text;
  expect(ofShop).toMatch(/DNS outage .*release/);
  expect(ofShop).not.toContain('elsewhere');
});

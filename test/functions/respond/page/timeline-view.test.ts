import { beforeEach, describe, expect, test } from 'vitest';
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
    firing(purchases, { incidents: [dayAt(-30), { ...dayAt(1), endAt: dayAt(2).endAt }] }),
  );
  for (const segment of ['Malta', HOSTILE])
    await scene.alerts.save(alertOf(signUps, { segment, incidents: [dayAt(-3)] }));
  await scene.alerts.save(alertOf(signUps, { segment: 'Peru', incidents: [dayAt(-9)] }));
});

test('shows a row for each rule with an incident, and links each mark to its alert', async () => {
  const { html, text } = await scene.get('/timeline');
  expect(html).toContain('href="/alerts/purchases?until=2026-02-03T00%3A00%3A00.000Z#series" title="31 Jan"');
  expect(html).toContain('href="/alerts/purchases" title="3 Mar to 5 Mar"');
  expect(html).toContain('href="/rules/sign-ups#segments" title="27 Feb, 2 segments"');
  expect(html).toContain('href="/alerts/sign-ups?segment=Peru" title="21 Feb, Peru"');
  expect(text).toMatch(/Purchases fell critical firing Sign-ups moved warning/);
  expect(text).toContain('2 rules of 3 have incidents in these days.');
  expect(text).toContain('It covers 90 days and the last 10 incidents of each alert.');
  expect(text).not.toContain('Quiet rule');
});

test('every row covers all 90 days', async () => {
  const { html } = await scene.get('/timeline');
  const rows = [...html.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/colspan="(\d+)"/g)].reduce((sum, [, span]) => sum + Number(span), 0),
  );
  expect(rows).toEqual([90, 90, 90]);
});

test('labels a short week only where its label fits', async () => {
  const labels = (html: string) =>
    [...html.matchAll(/<th scope="col" colspan="(\d+)">(<span class="hidden">)?/g)].map(
      ([, days, hidden]) => [Number(days), hidden === undefined],
    );
  const quarter = labels((await scene.get('/timeline')).html);
  for (const [days, isShown] of quarter) expect([days, isShown]).toEqual([days, Number(days) >= 6]);
  const few = labels((await scene.get('/timeline?from=2026-02-26&to=2026-03-05')).html);
  expect(few).toEqual([
    [4, true],
    [4, true],
  ]);
});

test('escapes segments', async () => {
  await scene.alerts.save(alertOf(signUps, { segment: `${HOSTILE}2`, incidents: [dayAt(-20)] }));
  const { html } = await scene.get('/timeline');
  expect(html).toContain('title="10 Feb, &lt;script&gt;');
  expect(html).not.toContain('<script>alert');
});

describe('notes', () => {
  beforeEach(async () => {
    const note = { by: 'Anna', app: 'shop' };
    await scene.notes.save({ ...note, id: 'a', text: `release ${HOSTILE}`, at: dayAt(-4).startAt });
    await scene.notes.save({ ...note, id: 'b', text: 'price test', at: dayAt(-4).startAt + 1 });
    await scene.notes.save({ ...note, id: 'c', text: 'elsewhere', app: 'bank', at: dayAt(1).startAt });
    await scene.notes.save({ ...note, id: 'd', text: 'DNS outage', app: null, at: dayAt(1).startAt });
    await scene.notes.save({ ...note, id: 'e', text: 'long ago', at: dayAt(-200).startAt });
  });

  test('have a row with a mark for each day, and a list', async () => {
    const { html, text } = await scene.get('/timeline');
    expect(html).toContain('href="#notes" title="26 Feb: release &lt;script&gt;');
    expect(html).toContain('; price test"');
    expect(html).not.toContain('<script>alert');

    expect(text).toMatch(/Notes (DNS outage|elsewhere) .* price test .* release/);
    expect(text).toMatch(/DNS outage Tue 3 Mar 2026, 00:00 \(UTC\), 2 days ago, by Anna, for all apps/);
    expect(text).toMatch(/elsewhere .*, by Anna, app bank/);
    expect(text).not.toContain('long ago');
  });

  test('are those of the chosen app and days', async () => {
    const { text } = await scene.get('/timeline?app=shop&from=2026-03-01');
    expect(text).toContain('DNS outage');
    expect(text).not.toContain('elsewhere');
    expect(text).not.toContain('price test');
  });
});

describe('filters', () => {
  test.each([
    ['app=shop', 'Purchases fell'],
    ['severity=warning', 'Sign-ups moved'],
    ['state=open', 'Purchases fell'],
    ['from=2026-02-27&to=2026-02-28', 'Sign-ups moved'],
    ['to=2026-02-01', 'Purchases fell'],
  ])('%s leaves %s', async (query, title) => {
    const { html } = await scene.get(`/timeline?${query}`);
    expect([...html.matchAll(/<th scope="row"><a [^>]*>([^<]*)</g)].map(([, name]) => name)).toEqual([title]);
  });

  test('cut the calendar to the chosen days', async () => {
    const { html } = await scene.get('/timeline?from=2026-02-27&to=2026-03-04');
    expect(html).toContain('<col span="6">');
    expect(html).toContain('title="3 Mar to 4 Mar"');
  });

  test('that match nothing are named', async () => {
    const { text } = await scene.get('/timeline?app=shop&severity=warning');
    expect(text).toContain(
      'No incident matches app shop, severity warning. Remove app (3 incidents) Remove severity (2 incidents)',
    );
  });

  test('before the listed days match nothing', async () => {
    const { text } = await scene.get('/timeline?to=2025-01-01');
    expect(text).toContain('No incident matches to 2025-01-01.');
  });
});

test('names alerts that cannot be read', async () => {
  scene.alerts.loadIncidents = async (report) => {
    report?.({ ruleId: 'purchases', segment: 'Peru', reason: 'it is of another form' });
    return [];
  };
  expect((await scene.get('/timeline')).text).toContain(
    'These alerts may be firing and are not shown: purchases (Peru).',
  );
});

test('says if no alert fired', async () => {
  const { text } = await createScene().get('/timeline');
  expect(text).toContain('No alert fired in the last 90 days.');
});

test('is below 150 KB with 1,000 rules that each fired ten times', async () => {
  const rules = Array.from({ length: 1000 }, (_, i) =>
    ruleNamed(`rule-${i}`, { title: `${'A long title '.repeat(8)}${i}` }),
  );
  await scene.rules.save({ ...ruleSetOf(...rules), version: 'many' });
  const incidents = Array.from({ length: 10 }, (_, i) => dayAt(-80 + 8 * i));
  for (const rule of rules) await scene.alerts.save(alertOf(rule, { incidents }));
  const { html } = await scene.get('/timeline?page=2');
  expect(html.match(/class="days/g)).toHaveLength(250);
  expect(Buffer.byteLength(html)).toBeLessThan(150_000);
});

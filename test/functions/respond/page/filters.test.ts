import { beforeEach, describe, expect, test } from 'vitest';
import { newAppAlert } from '../../../../shared/alerts/app-alert.ts';
import { DAY_MS } from '../../../../shared/units/durations.ts';
import { alertOf, breached, dayAt, MONDAY, ruleNamed, ruleSetOf } from '../../../fixtures/builders.ts';
import { createScene, firing, HOSTILE, NOW, type Scene } from './scene.ts';

const falls = ruleNamed('falls', { title: 'Falls', app: 'shop', owner: 'growth', severity: 'critical' });
const rises = ruleNamed('rises', { title: 'Rises', app: 'shop', owner: 'checkout' });
const parts = ruleNamed('parts', { title: 'Parts', app: 'web', owner: 'growth', group_by: 'device_country' });
const quiet = ruleNamed('quiet', { title: 'Quiet', app: 'web', owner: 'growth' });
const TITLES = ['Falls', 'Rises', 'Parts', 'Quiet', 'No data from web'];

let scene: Scene;
beforeEach(async () => {
  scene = createScene();
  await scene.rules.save(ruleSetOf(falls, rises, parts, quiet));
  const acknowledged = { by: 'Anna', at: NOW, reason: '' };
  await scene.alerts.save(firing(falls, { acknowledged, incidents: [dayAt(-2)] }));
  await scene.alerts.save(
    alertOf(rises, { state: 'pending', stateSinceAt: MONDAY + DAY_MS, last: breached(2) }),
  );
  await scene.alerts.save(firing(parts, { segment: 'Malta', flappingSinceAt: MONDAY }));
  await scene.alerts.save({ ...newAppAlert('web'), state: 'firing', stateSinceAt: NOW });
});

/** The rows of the list at this address. */
async function listed(path: string): Promise<string> {
  const { html } = await scene.get(path);
  const headers = [...html.matchAll(/<th scope="row"[^>]*>(.*?)<\/th>/gs)].map(([, cell = '']) => cell);
  return TITLES.filter((title) => headers.some((cell) => cell.includes(`>${title}<`))).join(', ');
}

test.each([
  ['/alerts', 'Falls, Rises, Parts, No data from web'],
  ['/alerts?app=web', 'Parts, No data from web'],
  ['/alerts?severity=critical', 'Falls, No data from web'],
  ['/alerts?state=pending', 'Rises'],
  ['/alerts?state=flapping', 'Parts'],
  ['/alerts?ack=no', 'Parts, No data from web'],
  ['/alerts?q=malta&app=web&state=firing', 'Parts'],
  ['/rules?app=web', 'Parts, Quiet'],
  ['/rules?state=firing', 'Falls, Parts'],
  ['/rules?state=normal', 'Quiet'],
])('%s lists %s', async (path, titles) => expect(await listed(path)).toBe(titles));

test('a rule that cannot be evaluated has a state of its own', async () => {
  const reason = { code: 'read-failed', error: 'the service was silent' } as const;
  const health = {
    kind: 'failing',
    since: MONDAY,
    through: NOW,
    reason,
    notified: false,
    streak: 3,
  } as const;
  await scene.alerts.save(alertOf(quiet, { health }));
  expect(await listed(`/rules?${new URLSearchParams({ state: 'cannot be evaluated' })}`)).toBe('Quiet');
});

describe('the form', () => {
  test('works without a script, and keeps what was chosen', async () => {
    const { html } = await scene.get('/alerts?app=web&q=malta');
    expect(html).toContain('<form class="filters" role="search" action="/alerts">');
    expect(html).toContain('<option selected>web</option>');
    expect(html).toContain('<input type="search" name="q" value="malta"');
    expect(html).toContain('<a href="/alerts">Show all</a>');
  });

  test('keeps a value that is no option, escaped', async () => {
    const { html } = await scene.get(`/rules?${new URLSearchParams({ owner: HOSTILE })}`);
    expect(html).toContain('<option selected>&lt;script&gt;');
    expect(html).not.toContain('<script>');
  });

  test('is kept by the links to other pages', async () => {
    const many = Array.from({ length: 201 }, (_, i) => ruleNamed(`r-${i}`, { owner: 'a&b' }));
    await scene.rules.save({ ...ruleSetOf(...many), version: 'many' });
    const { html } = await scene.get('/rules?owner=a%26b&page=2');
    expect(html).toContain('rel="next" href="/rules?owner=a%26b&amp;page=3"');
    expect(html).toContain('rel="prev" href="/rules?owner=a%26b&amp;page=1"');
  });
});

test('if nothing matches, the page links to the whole list', async () => {
  const { text, html } = await scene.get('/rules?app=gone');
  expect(text).toContain('Nothing matches the filters. Show all');
  expect(html).toContain('<a href="/rules">Show all</a>');
});

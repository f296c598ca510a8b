import { readFile } from 'node:fs/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { SHORTCUTS } from '../../../../functions/respond/page/shortcuts.ts';
import { slackView } from '../../../../local/inbox/slack-view.ts';
import type { Progress } from '../../../../shared/pages/progress.ts';
import { UpstreamError } from '../../../../shared/runtime/errors.ts';
import { HOUR_MS } from '../../../../shared/units/durations.ts';
import { alertOf, MONDAY, ruleNamed, ruleSetOf } from '../../../fixtures/builders.ts';
import { createScene, deliveryOf, firing, NOW, notificationOf, type Scene, silenceOf } from './scene.ts';

const PATHS = ['/', '/alerts', '/rules', '/timeline', '/silences', '/deliveries', '/health'];
const purchases = ruleNamed('purchases', { title: 'Purchases fell', zone: 'Asia/Kolkata' });

let scene: Scene;
beforeEach(async () => {
  scene = createScene({
    sections: [{ path: '/slack', name: 'Slack', view: (zone) => slackView([], NOW, zone) }],
    dataAccessUrl: 'https://data.example',
  });
  await scene.rules.save(ruleSetOf(purchases));
  await scene.alerts.save(firing(purchases, { pending: { a: notificationOf() }, pendingAt: NOW }));
  await scene.alerts.save(alertOf(ruleNamed('gone'), { pending: { a: notificationOf() }, pendingAt: NOW }));
  await scene.silences.save(silenceOf());
  await scene.deliveries.save(deliveryOf());
});

describe('times', () => {
  const TIME = /\d\d:\d\d(?::\d\d)?(?! \()/;
  const details = ['/rules/purchases', '/alerts/purchases'];

  test.each([...PATHS, ...details])('of %s each name their zone', async (path) => {
    const { html } = await scene.get(path);
    const tags = [...html.matchAll(/<time datetime="([^"]+)">([^<]+)<\/time>/g)];
    for (const [, iso = '', shown = ''] of tags) {
      expect(shown).toMatch(/\d\d:\d\d \([\w/]+\)$/);
      expect(Date.parse(iso)).not.toBeNaN();
    }
    const bare = html
      .replace(/<time.*?<\/time>/gs, '')
      .replace(/<head>.*<\/head>|<svg.*?<\/svg>/gs, '')
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
      .replace(/every [\w ]+ at \d\d:\d\d \(/g, '(');
    expect(bare).not.toMatch(TIME);
  });

  test('are in the zone of the rule', async () => {
    expect((await scene.get('/alerts/purchases')).text).toContain('05:30 (Asia/Kolkata)');
  });
});

test('notices are shown for known codes only', async () => {
  expect((await scene.get('/alerts/purchases?done=answered')).text).toContain('Your answer is recorded');
  for (const done of ['<b>', 'constructor', 'toString'])
    expect((await scene.get(`/?${new URLSearchParams({ done })}`)).html).not.toContain('class="flash');
});

test.each(PATHS)('%s is a document with one heading, its title and its place in the menu', async (path) => {
  const { html, status } = await scene.get(path);
  expect(status).toBe(200);
  expect(html.match(/<h1/g)).toHaveLength(1);
  expect(html).toMatch(/<title>[A-Z]\w+ · Deltawatch<\/title>/);
  expect(html).toContain(`<a href="${path}" aria-current="page">`);
  expect(html.match(/aria-current="page"/g)).toHaveLength(1);
});

test.each(['/rules/unknown', '/alerts/unknown', '/unknown'])(
  '%s is not found, in the layout of the page',
  async (path) => {
    const { status, text } = await scene.get(path);
    expect(status).toBe(404);
    expect(text).toContain(
      'Deltawatch Overview Alerts Rules Timeline Silences Deliveries Health Slack Not found',
    );
  },
);

describe('for monitoring', () => {
  test('health reports the progress', async () => {
    const progress: Progress = { phase: 'catching-up', step: 'Checking', done: 1, total: 2 };
    const { status, html } = await createScene({ progress: () => progress }).get('/healthz');
    expect([status, JSON.parse(html)]).toEqual([200, { ok: true, progress }]);
  });

  test('health fails if the table cannot be read', async () => {
    scene.rules.loadCurrent = () => Promise.reject(new Error('a secret'));
    const { status, html } = await scene.get('/healthz');
    expect([status, JSON.parse(html)]).toEqual([503, { ok: false, reason: 'the rules cannot be read' }]);
  });

  test('health fails if nothing can be written', async () => {
    const reason = 'the table t cannot be used: the disk is full; free some space';
    const tryWrite = () => Promise.reject(new UpstreamError(reason, { retryable: true }));
    const { status, html } = await createScene({ tryWrite }).get('/healthz');
    expect([status, JSON.parse(html)]).toEqual([503, { ok: false, reason }]);
  });
});

test('loads nothing from other hosts, and runs only its own scripts', async () => {
  for (const path of [...PATHS, '/alerts/purchases']) {
    const { html } = await scene.get(path);
    expect(html).not.toMatch(/ style=| on\w+=/);
    for (const script of html.match(/<script[^>]*>/g) ?? [])
      expect(script).toMatch(/^<script src="\/assets\/\w+\.js\?v=\w+" type="module">$/);
    const linked = [...html.matchAll(/(?:src|href|action)="([^"]*)"/g)].map(([, target]) => target ?? '');
    expect(
      linked.filter((target) => !/^[/#]/.test(target) && target !== 'https://data.example/docs'),
    ).toEqual([]);
  }
});

test('docs/reference/page.md lists the shortcuts', async () => {
  const rows = SHORTCUTS.map(([keys, does]) => `| \`${keys}\` | ${does} |`).join('\n');
  expect(await readFile('docs/reference/page.md', 'utf8')).toContain(`| --- | --- |\n${rows}\n\n`);
});

test('lets browsers cache assets until they change', async () => {
  const { html } = await scene.get('/');
  const shared = [...html.matchAll(/"(\/assets\/[\w.]+\?v=\w+)"/g)].map(([, target = '']) => target);
  expect(shared.map((each) => each.split('?')[0])).toEqual(
    expect.arrayContaining(['/assets/style.css', '/assets/page.js', '/assets/icon.svg']),
  );
  for (const target of shared) {
    const { status, headers } = await scene.get(target);
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
    expect(headers.get('content-type')).toMatch(/css|javascript|svg/);
  }
  expect((await scene.get('/assets/style.css?v=old')).headers.get('cache-control')).toBe(
    'public, max-age=300',
  );
});

/** The size limit of a page with all that it loads, in bytes, uncompressed. */
const MOST_BYTES = 150_000;

async function bytesOf(path: string): Promise<number> {
  const { html } = await scene.get(path);
  const loaded = [...html.matchAll(/"(\/[\w./-]+\?v=\w+)"/g)].map(([, target = '']) => target);
  const texts = await Promise.all([...new Set(loaded)].map(async (target) => (await scene.get(target)).html));
  return Buffer.byteLength([html, ...texts].join(''));
}

test('every page stays small with 1,000 rules and 300 firing alerts with pending notifications', async () => {
  const long = 'checkout of the large shop '.repeat(5);
  const rules = Array.from({ length: 1000 }, (_, i) =>
    ruleNamed(`rule-${i}`, {
      title: `${long}${i}`,
      app: `app-${i % 60}`,
      owner: `team-${i % 300}`,
      group_by: 'device_country',
    }),
  );
  await scene.rules.save({ ...ruleSetOf(...rules), version: 'many' });
  const health = {
    kind: 'broken',
    since: MONDAY,
    through: NOW,
    reason: { code: 'read-failed', error: long },
    notified: true,
    streak: 9,
  } as const;
  for (const [i, rule] of rules.entries()) {
    await scene.alerts.save(alertOf(rule, i % 4 === 0 ? { health } : {}));
    if (i % 3 === 0)
      await scene.alerts.save(
        firing(rule, {
          segment: long,
          pending: { a: notificationOf({ reason: { code: 'acknowledged', by: 'Anna', note: long } }) },
          pendingAt: NOW,
        }),
      );
    await scene.deliveries.save(deliveryOf({ title: long, at: NOW - i }));
    if (i % 10 === 0)
      await scene.silences.save(
        silenceOf({ id: `${i}`, match: { rule: rule.id }, reason: long, untilAt: NOW + HOUR_MS }),
      );
  }
  const [busy] = rules;
  for (let i = 0; i < 100; i++) if (busy) await scene.alerts.save(firing(busy, { segment: `${long}${i}` }));
  const sizes: Record<string, number> = {};
  for (const path of [
    ...PATHS,
    '/rules/rule-0',
    `/alerts/rule-0?${new URLSearchParams({ segment: `${long}1` })}`,
  ])
    sizes[path] = await bytesOf(path);
  for (const [path, bytes] of Object.entries(sizes))
    expect([path, bytes < MOST_BYTES, bytes]).toEqual([path, true, bytes]);
});

import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { KEY_BYTES, mintKey } from '../../../../shared/access/api-key.ts';
import { inMemoryStores } from '../../../../shared/store/in-memory/stores.ts';
import { HOUR_MS } from '../../../../shared/units/durations.ts';
import { alertOf, ruleNamed, ruleSetOf } from '../../../fixtures/builders.ts';
import { firing, NOW, openDesk, RULE, URL_ROOT } from '../desk.ts';

const PARTS = ruleNamed('parts', { group_by: 'device_country', severity: 'critical', app: 'web' });

/** The rules `sales`, which fires, and `parts`, which fires in two segments. */
async function scrape(scope: 'read' | 'none' = 'read') {
  const stores = inMemoryStores();
  await stores.rules.save(ruleSetOf(RULE, PARTS));
  await stores.alerts.save(firing());
  await stores.alerts.save(firing(PARTS, { segment: 'Malta' }));
  await stores.alerts.save(firing(PARTS, { segment: 'a "b"\\\nc' }));
  const reason = { code: 'read-failed', error: 'the service was silent' } as const;
  const streak = { since: NOW, through: NOW, reason, notified: false, streak: 3 };
  await stores.alerts.save(alertOf(PARTS, { health: { kind: 'failing', ...streak } }));
  await stores.runs.saveNewestEventAt('web', NOW - HOUR_MS);
  const desk = await openDesk(stores);
  const { text, key } = mintKey(new Uint8Array(KEY_BYTES).fill(1), {
    ...{ apps: [], createdAt: NOW },
    ...(scope === 'read' && { scope }),
  });
  await desk.keys.create(key);
  return desk.app.request(`${URL_ROOT}/api/v1/metrics`, { headers: { Authorization: `Bearer ${text}` } });
}

test('metrics count alerts, and name each with its labels escaped', async () => {
  const response = await scrape();
  expect(response.headers.get('Content-Type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const lines = (await response.text()).split('\n');
  for (const line of [
    'deltawatch_alerts{state="firing"} 3',
    'deltawatch_alerts{state="pending"} 0',
    'deltawatch_alert{rule="parts",app="web",severity="critical",segment="Malta",state="firing"} 1',
    'deltawatch_alert{rule="parts",app="web",severity="critical",segment="a \\"b\\"\\\\\\nc",state="firing"} 1',
    'deltawatch_rules 2',
    'deltawatch_rule_failing{rule="parts",app="web",health="failing"} 1',
    'deltawatch_unreadable_items 0',
    `deltawatch_newest_event_timestamp_seconds{app="web"} ${(NOW - HOUR_MS) / 1000}`,
    'deltawatch_app_stopped{app="web"} 0',
  ])
    expect(lines).toContain(line);
});

test('each metric has one description and one type before its samples', async () => {
  const text = await (await scrape()).text();
  expect(text.endsWith('\n')).toBe(true);
  const families = text.split(/^# HELP /m).slice(1);
  const names = families.map((family) => {
    const [name = ''] = /^\w+/.exec(family) ?? [];
    expect(family).toMatch(
      new RegExp(`^${name} [^\n]+\\.\n# TYPE ${name} gauge\n(${name}(\\{.+\\})? [\\d.]+\n)*$`),
    );
    return name;
  });
  expect(names).toContain('deltawatch_calls_per_hour_limit');
  expect(new Set(names).size).toBe(names.length);
});

test('metrics need a token', async () => {
  expect((await scrape('none')).status).toBe(401);
});

test('the metrics of the document exist', async () => {
  const text = await (await scrape()).text();
  const page = await readFile('docs/reference/alerts-api.md', 'utf8');
  const named = [...new Set(page.match(/deltawatch_\w+/g))];
  expect(named.length).toBeGreaterThan(3);
  for (const name of named) expect(text).toContain(`# HELP ${name} `);
});

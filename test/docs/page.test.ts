import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ruleNamed, ruleSetOf } from '../fixtures/builders.ts';
import { createScene, firing } from '../functions/respond/page/scene.ts';

const rows = [...readFileSync('docs/reference/page.md', 'utf8').matchAll(/^\| `(\/[^`]*)` \|/gm)];
const paths = rows.map(([, path = '']) => path.replace('<rule>', 'purchases').replace('<segment>', 'DE'));

test('the page serves every documented path, and the menu links only to those', async () => {
  const scene = createScene();
  const purchases = ruleNamed('purchases', { group_by: 'device_country' });
  await scene.rules.save(ruleSetOf(purchases));
  await scene.alerts.save(firing(purchases, { segment: 'DE' }));
  for (const path of paths) expect([path, (await scene.get(path)).status]).toEqual([path, 200]);
  const { html } = await scene.get('/');
  const menu = html.match(/<nav class="menu".*?<\/nav>/s)?.[0] ?? '';
  const linked = [...menu.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href);
  expect(linked.length).toBeGreaterThan(4);
  expect(paths).toEqual(expect.arrayContaining(linked));
});

import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { readRules } from '../../../cli/options/read-rules.ts';
import { createSystem } from '../../../local/system.ts';
import { silentMeter, terminalLogger } from '../../../local/terminal.ts';
import type { MetricSource } from '../../../shared/readings/metric-source.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { ConfigError } from '../../../shared/runtime/errors.ts';
import { inMemoryStores } from '../../../shared/store/in-memory/stores.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import { exploreSection } from '../../../workbench/explore/explore-section.ts';
import { createFakeChannel } from '../../fakes/fake-channel.ts';
import { createFakeMetricSource, type Fact } from '../../fakes/fake-metric-source.ts';
import { MONDAY } from '../../fixtures/builders.ts';
import { type Folder, temporaryFolder } from '../../fixtures/deltawatch.ts';
import { createScene, HOSTILE, type Scene } from '../../functions/respond/page/scene.ts';

const RULES = `
rules:
  - { id: old, title: Old, app: shop, owner: team, every: day at 07:00, metric: event_count, anomaly: true }
`;
const ROUTES = 'channels: { team: { slack: { webhook_secret: hook } } }\ndefault: [team]\n';

/** Eight weeks of a thousand purchases a day, 300 on the last, and the beginning of today. */
const DAYS = 56;
const NOW = MONDAY + DAYS * DAY_MS + 8 * HOUR_MS;
const FACTS: Fact[] = Array.from({ length: DAYS + 1 }, (_, day) => ({
  endpoint: 'event',
  at: MONDAY + day * DAY_MS + HOUR_MS,
  attributes: { event_name: 'purchase', device_country: HOSTILE },
  figures: { event_count: day === DAYS - 1 ? 300 : 1000 },
}));

let folder: Folder;
let scene: Scene;
let source: MetricSource;
let isLive: boolean;
/** Whether a run fails. */
let breaks: boolean;
let sent: ReturnType<typeof createFakeChannel>;
beforeEach(async () => {
  folder = await temporaryFolder();
  await writeFile(join(folder.path, 'old.yaml'), RULES);
  await writeFile(join(folder.path, 'routes.yaml'), ROUTES);
  isLive = true;
  breaks = false;
  source = {
    ...createFakeMetricSource(FACTS),
    readNewestEventAt: async (app) => ({ kind: 'read', value: app === 'shop' ? NOW : null }),
  };
  const clock = new ManualClock(NOW);
  sent = createFakeChannel();
  const system = createSystem({
    ...{ stores: inMemoryStores(), clock, sourceFor: () => source, channelFor: async () => sent },
    ...{ logger: terminalLogger, meter: silentMeter },
  });
  await system.rules.save(await readRules(folder.path));
  const open = exploreSection({ dir: folder.path, read: () => readRules(folder.path) });
  const figures = { sourceFor: () => source, close: () => {} };
  const tick: typeof system.tick = (...run) => {
    if (breaks) throw new ConfigError('the state is full');
    return system.tick(...run);
  };
  const section = open({
    system: { ...system, tick },
    clock,
    openFigures: () => figures,
    isLive: () => isLive,
  });
  scene = createScene({ ...system, clock, sections: [section] });
  return () => folder[Symbol.asyncDispose]();
});

const ask = (asked: Record<string, string>) => scene.get(`/explore?${new URLSearchParams(asked)}`);
const post = (form: Record<string, string>) =>
  scene.page.request('/explore', { method: 'POST', body: new URLSearchParams(form) });

/** The texts of the form that makes a rule. */
function madeIn(html: string): Record<string, string> {
  const areas = html.matchAll(/<textarea name="(\w+)"[^>]*>([^<]*)</g);
  const texts = [...areas].map(([, name = '', text = '']) => [name, text.replaceAll('&quot;', '"')]);
  return { id: /name="id" value="([^"]+)"/.exec(html)?.[1] ?? '', ...Object.fromEntries(texts) };
}

test('the form suggests what the data has', async () => {
  const { html, text } = await ask({});
  expect(html).toContain('<option value="purchase">');
  expect(html).not.toContain(HOSTILE);
  expect(text).not.toContain('Make a rule');
});

test('a figure is answered with its chart, its alerts and the messages a month', async () => {
  const { html, text } = await ask({ watch: 'purchase', change: '-50%' });
  expect(html).toContain('<svg');
  expect(text).toMatch(/When it would have fired 1 alert, [\d.]+ a month; 1 message, [\d.]+ a month/);
  expect(text).toContain('2026-04-26 1,000 to 300 (-70%), still open');
});

test('the chart of a group shows the segment that fired last, and otherwise the largest', async () => {
  const countries = { Andorra: [10, 10], Spain: [100, 30], Portugal: [1000, 1000] };
  const facts = Object.entries(countries).flatMap(([device_country, [usual = 0, last = 0]]) =>
    FACTS.map(
      (fact, day): Fact => ({
        ...fact,
        attributes: { event_name: 'purchase', device_country },
        figures: { event_count: day === DAYS - 1 ? last : usual },
      }),
    ),
  );
  Object.assign(source, createFakeMetricSource(facts), { readNewestEventAt: source.readNewestEventAt });
  const shown = async (change: string) => {
    const { text } = await ask({ watch: 'purchase', group: 'device_country', change });
    return /device_country (\w+)/.exec(text.slice(text.indexOf('Purchase by device_country') + 26))?.[1];
  };
  expect(await shown('-50%')).toBe('Spain');
  expect(await shown('-90%')).toBe('Portugal');
});

test('a made rule is written, deployed and evaluated at once, and once only', async () => {
  const made = madeIn((await ask({ watch: 'purchase', change: '-50%', title: 'Sales' })).html);
  const first = await post(made);
  expect([first.status, first.headers.get('location')]).toEqual([303, '/rules/shop-sales?done=written']);
  expect((await scene.get('/rules/shop-sales?done=written')).text).toContain('The rule is written');
  expect(sent.sent.map(({ title }) => title)).toEqual(['Sales down 70%']);
  expect(await (await post(made)).text()).toMatch(/already exists.*another title/);
  expect((await readdir(folder.path)).sort()).toEqual([
    ...['old.yaml', 'routes.yaml', 'shop-sales.test.yaml', 'shop-sales.yaml'],
  ]);
});

test('a form without an id, or with a path as the id, writes nothing', async () => {
  for (const id of ['', '../evil', 'routes.yaml'])
    expect((await post({ id, rule: 'rules: []', test: '' })).headers.get('location')).toBe(
      '/explore?done=invalid',
    );
  expect((await readdir(folder.path)).sort()).toEqual(['old.yaml', 'routes.yaml']);
});

test('a name that the data lacks is explained by its field', async () => {
  const { text } = await ask({ watch: 'purchas' });
  expect(text).toMatch(/has matched nothing since .*"purchas".*"purchase"/);
});

test.each<[string, () => void, Record<string, string>, string]>([
  [
    'while the past is read',
    () => {
      isLive = false;
    },
    {},
    'still reads the past',
  ],
  ['of an app without data', () => {}, { app: 'other', watch: 'x' }, 'There is no data of other.'],
  [
    'while the service fails',
    () => {
      source.readRange = async () => ({ kind: 'failed', reason: 'the service is down', retryable: true });
    },
    { watch: 'purchase' },
    'the service is down.',
  ],
  [
    'when hours need more calls than are left',
    () => {
      source.readRange = async () => ({ kind: 'failed', reason: 'no calls are left', retryable: true });
    },
    { watch: 'purchase', grain: 'hour' },
    'Days need fewer calls',
  ],
])('says why there is no answer %s', async (_, given, asked, says) => {
  given();
  const { text, status } = await ask(asked);
  expect(status).toBe(200);
  expect(text).toContain(says);
  expect(text).not.toContain('Make a rule');
});

test('a rule that could not be evaluated is not said to be calm', async () => {
  const stale = FACTS.map((fact) => ({ ...fact, at: fact.at + 12 * HOUR_MS }));
  Object.assign(source, createFakeMetricSource(stale), { readNewestEventAt: source.readNewestEventAt });
  const { text } = await ask({ watch: 'purchase', change: '-50%' });
  expect(text).toContain('It could not be evaluated');
  expect(text).not.toContain('not have fired');
});

test('hours of a group with many values are refused before the past is read', async () => {
  const facts = Array.from({ length: 12 }, (_, i) =>
    FACTS.map(({ at }): Fact => {
      return {
        endpoint: 'session',
        at,
        attributes: { device_country: `C${i}` },
        figures: { session_count: 9 },
      };
    }),
  );
  let ranges = 0;
  Object.assign(source, createFakeMetricSource([...FACTS, ...facts.flat()]), {
    readNewestEventAt: source.readNewestEventAt,
    readRange: async () => {
      ranges += 1;
      return { kind: 'failed', reason: 'no calls are left', retryable: true };
    },
  });
  const { text } = await ask({ watch: 'purchase', group: 'device_country', grain: 'hour' });
  expect(text).toContain('too many values for so many windows: choose days');
  expect(ranges).toBe(0);
  expect((await ask({ watch: 'purchase', group: 'device_country' })).text).not.toContain('too many values');
});

test('a rule whose first run fails is said to be written', async () => {
  const made = madeIn((await ask({ watch: 'purchase', change: '-50%', title: 'Sales' })).html);
  breaks = true;
  const page = await (await post(made)).text();
  expect(page).toContain('The rule is written, but does not run yet');
  expect(page).not.toContain('not written');
  expect(await readdir(folder.path)).toContain('shop-sales.yaml');
});

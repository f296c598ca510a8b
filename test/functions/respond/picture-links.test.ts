import { describe, expect, it } from 'vitest';
import { inMemoryReadingStore } from '../../../shared/adapters/in-memory/stores.ts';
import { rowKeysOf, seriesOf } from '../../../shared/alerting/readings/series.ts';
import { DAY, dayAt, MONDAY } from '../../fixtures/builders.ts';
import { type Desk, NOW, openDesk, RULE } from './desk.ts';

const SHOWN = { ruleId: 'sales', segment: null, throughAt: MONDAY + DAY };

/** Readings of the week up to the window that breached. */
async function readings() {
  const store = inMemoryReadingStore();
  const keys = rowKeysOf([RULE]);
  for (let day = -7; day <= 0; day++) {
    const amount = day === 0 ? 40 : 100 + day;
    const current = Object.fromEntries(keys.map((key) => [key, amount]));
    const rows = [{ eventName: 'purchase', current }];
    const window = dayAt(day);
    const { family } = seriesOf(RULE);
    await store.save({ family, window, readAt: window.endAt, keys, eventNames: ['purchase'], rows });
  }
  return store;
}

const pictureDesk = async () => openDesk({ readings: await readings() });

describe('the picture of a message', () => {
  it('is drawn for whoever has its address, and is the same as long as that is good', async () => {
    const desk = await pictureDesk();
    const token = await desk.sign('picture', SHOWN);
    const png = await desk.request(`/p/${token}.png`);
    expect(png.status).toBe(200);
    expect(png.headers.get('content-type')).toBe('image/png');
    expect(png.headers.get('cache-control')).toBe(`private, max-age=${(60 * DAY) / 1000}, immutable`);
    expect([...new Uint8Array(await png.arrayBuffer()).slice(1, 4)]).toEqual([...Buffer.from('PNG')]);
    const svg = await desk.request(`/p/${token}.svg`);
    expect(svg.headers.get('content-type')).toBe('image/svg+xml');
    expect(await svg.text()).toMatch(/^<svg.*Sales/s);
    expect(desk.writes).toEqual([]);
  });

  it('is not sent again to whoever has it', async () => {
    const desk = await pictureDesk();
    const path = `/p/${await desk.sign('picture', SHOWN)}.svg`;
    const tag = (await desk.request(path)).headers.get('etag') ?? '';
    const again = await desk.request(path, { headers: { 'If-None-Match': tag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const other = await desk.request(path.replace('.svg', '.png'), { headers: { 'If-None-Match': tag } });
    expect(other.status).toBe(200);
  });

  it('is drawn once for all who look at it soon', async () => {
    const store = await readings();
    let reads = 0;
    const load: typeof store.load = (...asked) => {
      reads++;
      return store.load(...asked);
    };
    const desk = await openDesk({ readings: { ...store, load } });
    const look = async (path: string) => Buffer.from(await (await desk.request(path)).arrayBuffer());
    const path = `/p/${await desk.sign('picture', SHOWN)}.svg`;
    const first = await look(path);
    expect((await look(path)).equals(first)).toBe(true);
    expect(reads).toBe(1);
    await look(`/p/${await desk.sign('picture', SHOWN)}.svg`);
    expect(reads).toBe(2);
  });

  it.each<[string, number, (desk: Desk) => Promise<string>]>([
    ['of a link to answer by', 404, async (desk) => `${(await desk.linkTo('accept')).slice(3)}.png`],
    ['made up', 404, async () => 'a.b.c.png'],
    ['of no format', 404, async (desk) => desk.sign('picture', SHOWN)],
    ['of another format', 404, async (desk) => `${await desk.sign('picture', SHOWN)}.gif`],
    ['of no rule', 404, async (desk) => `${await desk.sign('picture', { ...SHOWN, ruleId: 'gone' })}.png`],
    [
      'of long ago',
      410,
      async (desk) => {
        const token = await desk.sign('picture', SHOWN);
        desk.clock.advanceTo(NOW + 60 * DAY);
        return `${token}.png`;
      },
    ],
  ])('there is none %s', async (_, status, fileIn) => {
    const desk = await pictureDesk();
    const response = await desk.request(`/p/${await fileIn(desk)}`);
    expect([response.status, await response.text()]).toEqual([status, '']);
  });

  it('that cannot be drawn says no more than that, and is logged', async () => {
    const broken = { load: () => Promise.reject(new Error('table deltawatch-state is gone')) };
    const desk = await openDesk({ readings: { ...inMemoryReadingStore(), ...broken } });
    const response = await desk.request(`/p/${await desk.sign('picture', SHOWN)}.png`);
    expect([response.status, await response.text()]).toEqual([500, '']);
    expect(response.headers.get('cache-control')).toContain('no-store');
    expect(desk.logged.map(({ message }) => message)).toEqual(['a picture could not be drawn']);
  });
});

import { describe, expect, it } from 'vitest';
import { rowKeysOf, seriesOf } from '../../../shared/readings/series.ts';
import { inMemoryReadingStore } from '../../../shared/store/in-memory/stores.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { dayAt, MONDAY } from '../../fixtures/builders.ts';
import { type Desk, NOW, openDesk, RULE } from './desk.ts';

const SHOWN = { ruleId: 'sales', segment: null, throughAt: MONDAY + DAY_MS };

/** Readings of a week, up to the breached window. */
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

describe('the chart of a message', () => {
  it('is public to holders of its link, and does not change while the link is valid', async () => {
    const desk = await pictureDesk();
    const token = await desk.sign('picture', SHOWN);
    const png = await desk.request(`/p/${token}.png`);
    expect(png.status).toBe(200);
    expect(png.headers.get('content-type')).toBe('image/png');
    expect(png.headers.get('cache-control')).toBe(`private, max-age=${(60 * DAY_MS) / 1000}, immutable`);
    expect([...new Uint8Array(await png.arrayBuffer()).slice(1, 4)]).toEqual([...Buffer.from('PNG')]);
    expect(desk.writes).toEqual([]);
  });

  it.each<[string, number, (desk: Desk) => Promise<string>]>([
    ['for an answer link', 404, async (desk) => `${(await desk.linkTo('accept')).slice(3)}.png`],
    ['for an invalid token', 404, async () => 'a.b.c.png'],
    ['for an unknown format', 404, async (desk) => `${await desk.sign('picture', SHOWN)}.gif`],
    [
      'for an unknown rule',
      404,
      async (desk) => `${await desk.sign('picture', { ...SHOWN, ruleId: 'gone' })}.png`,
    ],
    [
      'for an expired link',
      410,
      async (desk) => {
        const token = await desk.sign('picture', SHOWN);
        desk.clock.advanceTo(NOW + 60 * DAY_MS);
        return `${token}.png`;
      },
    ],
  ])('is missing %s', async (_, status, fileIn) => {
    const desk = await pictureDesk();
    const response = await desk.request(`/p/${await fileIn(desk)}`);
    expect([response.status, await response.text()]).toEqual([status, '']);
  });

  it('that cannot be rendered is logged, without details for the reader', async () => {
    const broken = { load: () => Promise.reject(new Error('table deltawatch-state is gone')) };
    const desk = await openDesk({ readings: { ...inMemoryReadingStore(), ...broken } });
    const response = await desk.request(`/p/${await desk.sign('picture', SHOWN)}.png`);
    expect([response.status, await response.text()]).toEqual([500, '']);
    expect(response.headers.get('cache-control')).toContain('no-store');
    expect(desk.logged.map(({ message }) => message)).toEqual(['a chart could not be rendered']);
  });
});

import { describe, expect, test } from 'vitest';
import { chartFigure } from '../../../../functions/respond/page/series-section.ts';
import type { ChartPoint } from '../../../../shared/messages/chart.ts';
import { HOUR_MS } from '../../../../shared/units/durations.ts';
import { MONDAY } from '../../../fixtures/builders.ts';
import { chartNamed, pointsOf } from '../../../fixtures/charts.ts';

const figureOf = async (...asked: Parameters<typeof chartNamed>) =>
  String(await chartFigure(chartNamed(...asked)));

describe('the chart on a page', () => {
  test('has a wide and a narrow drawing with the same text alternative', async () => {
    const html = await figureOf('Purchases fell');
    const [, id] = /<figcaption id="([^"]+)">Purchases fell: events, each day since/.exec(html) ?? [];
    const names = [...html.matchAll(/<svg [^>]*role="img" aria-labelledby="([^"]+)"/g)].map(
      ([, name]) => name,
    );
    expect(names).toEqual([id, id]);
    expect(html).not.toContain('style=');
  });

  test('has a table of its figures, newest first', async () => {
    const html = await figureOf('Purchases', { points: pointsOf([90, null, 40]), breached: [] });
    const text = html
      .slice(html.indexOf('<tbody>'))
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ');
    expect(text).toMatch(/^ Wed 4 Mar 2026 \(UTC\) 40 100 \(at least 70\) – Tue 3 Mar 2026 \(UTC\) no value/);
  });

  test('escapes text from outside', async () => {
    const html = await figureOf('<img src=x>', { unit: '"><script>alert(1)</script>' });
    expect(html).not.toMatch(/<img|<script/);
    expect(html).toContain('&lt;img src=x&gt;');
  });

  test('stays small for two weeks of hours', async () => {
    const at = (hour: number): ChartPoint => ({
      window: { startAt: MONDAY + hour * HOUR_MS, endAt: MONDAY + (hour + 1) * HOUR_MS },
      value: 1000 + 777 * Math.sin(hour),
      band: { expected: 1000 + 700 * Math.sin(hour), low: 100 + hour / 3, high: 2000 - hour / 7 },
    });
    const others = Array.from({ length: 335 }, (_, hour) => at(hour + 1));
    const html = await figureOf('Sessions', {
      calendar: { grain: 'hour', zone: 'America/Argentina/Buenos_Aires' },
      points: [at(0), ...others],
    });
    expect(html.length).toBeLessThan(90_000);
    expect(html).toContain('The last 100 figures as a table');
  });
});

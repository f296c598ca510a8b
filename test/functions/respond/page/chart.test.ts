import { describe, expect, test } from 'vitest';
import { chartFigure } from '../../../../functions/respond/page/series-section.ts';
import { chartNamed, pointsOf } from '../../../fixtures/charts.ts';

const figureOf = async (...asked: Parameters<typeof chartNamed>) =>
  String(await chartFigure(chartNamed(...asked)));

describe('the chart on a page', () => {
  test('has a drawing with a text alternative', async () => {
    const html = await figureOf('Purchases fell');
    const [, id] = /<figcaption id="([^"]+)">Purchases fell: events, each day since/.exec(html) ?? [];
    const names = [...html.matchAll(/<svg [^>]*role="img" aria-labelledby="([^"]+)"/g)].map(
      ([, name]) => name,
    );
    expect(names).toEqual([id]);
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
});

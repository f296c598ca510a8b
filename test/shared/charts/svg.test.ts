import { describe, expect, test } from 'vitest';
import { valueRange } from '../../../shared/charts/chart-axes.ts';
import { drawnNotes } from '../../../shared/charts/chart-rows.ts';
import { chartSpec } from '../../../shared/charts/chart-spec.ts';
import { CHART_STYLES } from '../../../shared/charts/looks.ts';
import { svgOf } from '../../../shared/charts/svg.ts';
import type { ChartPoint } from '../../../shared/messages/chart.ts';
import { altText } from '../../../shared/messages/chart-text.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { dayAt, MONDAY } from '../../fixtures/builders.ts';
import { chartNamed, pointsOf } from '../../fixtures/charts.ts';

const chart = chartNamed('Purchases fell');

/** All texts of the drawing, in order. */
function textsIn(svg: string): string[] {
  return [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text ?? '');
}

/** The number of points of each stroke in this colour. */
function strokesOf(svg: string, colour: string): number[] {
  const paths = [...svg.matchAll(/<path[^>]* d="([^"]+)"[^>]*>/g)].filter(([path]) =>
    path.includes(`stroke="${colour}"`),
  );
  const strokes = paths.flatMap(([, d = '']) => d.split('M').slice(1));
  return strokes.map((stroke) => stroke.split('L').length);
}

describe('svgOf', () => {
  test('writes the title, unit, legend, dates and value ticks', async () => {
    const texts = textsIn(await svgOf(chart));
    for (const text of ['Purchases fell', 'events, each day', 'expected', 'fires below 70', 'breached'])
      expect(texts).toContain(text);
    expect(texts).toContain('start of the day (UTC), 2 Mar to 5 Mar 2026');
    expect(texts).toEqual(expect.arrayContaining(['0', '20', '100', '2 Mar', '3 Mar', '4 Mar', '5 Mar']));
  });

  test.each([
    [
      [100, 99],
      [99, 100.04],
    ],
    [
      [100, 70],
      [0, 104],
    ],
    [
      [100, 100],
      [0, 104],
    ],
  ])('starts the axis of %j at 0, unless the line would look flat', (values, range) => {
    const [first, ...others] = pointsOf(values);
    const plain = (point: ChartPoint) => ({ ...point, band: null });
    expect(valueRange({ ...chart, points: [plain(first), ...others.map(plain)] })).toEqual(range);
  });

  test('labels the last value and its expected value, unless the two would overlap', async () => {
    expect(textsIn(await svgOf(chart))).toEqual(expect.arrayContaining(['40', '100']));
    const close = textsIn(await svgOf(chartNamed('Close', { points: pointsOf([90, 101]), breached: [] })));
    expect(close).toContain('101');
    expect(close.filter((text) => text === '100')).toHaveLength(1);
  });

  test('marks the breached window by a shape and its time span', async () => {
    const expectedRange = await svgOf({ ...chart, breached: [], incidents: [] });
    const red = new RegExp(`fill="${CHART_STYLES.picture.colours.bad}`, 'g');
    expect(expectedRange).not.toMatch(red);
    expect(textsIn(expectedRange)).not.toContain('breached');
    // The span, the point, its value, and two entries of the legend.
    expect((await svgOf(chart)).match(red)?.length).toBeGreaterThanOrEqual(4);
  });

  test('draws the range of a model as an area, and bounds of a rule as lines', async () => {
    const { accent, bad } = CHART_STYLES.picture.colours;
    const area = new RegExp(`d="M[^"]+Z" fill="${accent}" fill-opacity="0.17"`);
    const quiet = { ...chart, breached: [], incidents: [] };
    const modelled = await svgOf({ ...quiet, isModelled: true });
    expect(modelled).toMatch(area);
    expect(textsIn(modelled)).toContain('expected range');
    const [first, ...others] = pointsOf([90, 40]).map((point) => ({
      ...point,
      band: { expected: 100, low: 0, high: 9000 },
    }));
    if (!first) throw new Error('no points');
    const cut = await svgOf({ ...quiet, isModelled: true, points: [first, ...others] });
    expect(textsIn(cut)).toContain('expected range, cut at the top');
    const bounded = await svgOf(quiet);
    expect(bounded).not.toMatch(area);
    // The line, and its sample in the legend.
    expect(strokesOf(bounded, bad)).toEqual([4, 2]);
  });

  test.each([
    ['above', { expected: null, low: null, high: 120 }, 'fires above 120', [4, 2]],
    ['on both sides', { expected: null, low: 20, high: 120 }, 'fires above 120 or below 20', [4, 4, 2]],
    ['out of sight', { expected: null, low: null, high: 9000 }, 'fires above 9,000', [2]],
  ])('labels a plain threshold with its bound: %s', async (_, band, label, strokes) => {
    const [first, ...others] = pointsOf([90, 110, 100, 40]).map((point) => ({ ...point, band }));
    if (!first) throw new Error('no points');
    const svg = await svgOf({ ...chart, points: [first, ...others], breached: [], incidents: [] });
    expect(textsIn(svg)).toContain(label);
    expect(textsIn(svg)).not.toContain('expected');
    expect(strokesOf(svg, CHART_STYLES.picture.colours.bad)).toEqual(strokes);
  });

  test('names the line of the version before', async () => {
    expect(textsIn(await svgOf({ ...chart, expected: 'version before' }))).toContain('version before');
  });

  test('leaves gaps for missing values and draws a lone value as a dot', async () => {
    const gaps = await svgOf({ ...chart, points: pointsOf([90, 100, null, 80, null, 70, 75]) });
    // The sample in the legend, and two pieces of the line.
    expect(strokesOf(gaps, CHART_STYLES.picture.colours.accent).filter((points) => points > 1)).toEqual([
      2, 2, 2,
    ]);
    const many = {
      ...chart,
      points: pointsOf([...Array(30).fill(90), null, 80, null, ...Array(30).fill(90)]),
    };
    const { accent } = CHART_STYLES.picture.colours;
    const dots = (await svgOf(many)).match(new RegExp(`<path[^>]*A[^>]*fill="${accent}"`, 'g'));
    expect(dots).toHaveLength(1);
  });

  test('draws no expected band without expected values', async () => {
    const [first, ...others] = chart.points;
    const unknown = [first, ...others].map((point) => ({ ...point, band: null }));
    const svg = await svgOf({ ...chart, points: [{ ...first, band: null }, ...unknown.slice(1)] });
    expect(textsIn(svg)).not.toContain('expected');
  });

  test.each([
    ['markup', '<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['an entity', 'a &amp; "b"', 'a &amp;amp; "b"'],
    ['an expression', `{{datum.value}} ' + data('points') + '`, `{{datum.value}} ' + data('points') + '`],
    ['right-to-left text', 'شراء fell', 'شراء fell'],
    ['line breaks', 'one\n\ntwo', 'one two'],
    ['characters without a glyph', '注文 🛒🛒 fell', '… … fell'],
  ])('renders %s as plain text', async (_, title, shown) => {
    const svg = await svgOf(chartNamed(title, { unit: title }));
    expect(textsIn(svg)).toEqual(expect.arrayContaining([shown, `${shown}, each day`]));
    expect(svg).not.toMatch(/<script|<a |<image|href|url\(/);
  });

  test('draws a note between the last point before it and the point of its own window', () => {
    const notes = [{ id: 'a', text: 'release', app: null, at: dayAt(3).startAt + 14 * HOUR_MS, by: 'CI' }];
    const [drawn] = drawnNotes(chartNamed('Noted', { notes }));
    expect(drawn?.drawnAt).toBeGreaterThan(dayAt(2).startAt);
    expect(drawn?.drawnAt).toBeLessThan(dayAt(3).startAt);
  });

  test('numbers notes, together where they are close, and leaves out later ones', async () => {
    const { endAt } = dayAt(3);
    const noteAt = (at: number) => ({ id: `${at}`, text: `at ${at}`, app: null, at, by: 'CI' });
    const notes = [MONDAY + HOUR_MS, MONDAY + 2 * HOUR_MS, dayAt(2).startAt, endAt - HOUR_MS, endAt].map(
      noteAt,
    );
    const texts = textsIn(await svgOf(chartNamed('Noted', { notes })));
    expect(texts).toEqual(expect.arrayContaining(['1–2', '3', '4', 'notes']));
    expect(texts).not.toContain('5');
    const one = chartNamed('Noted', { notes: notes.slice(3) });
    expect(textsIn(await svgOf(one))).toContain(`at ${endAt - HOUR_MS}`);
  });

  test('has the alt text as its aria-label', async () => {
    const svg = await svgOf(chartNamed('<b> & "c"'));
    const [, label] = /^<svg [^>]*role="img" aria-label="([^"]*)"/.exec(svg) ?? [];
    const words = altText(chartNamed('<b> & "c"'));
    expect(
      label
        ?.replaceAll('&quot;', '"')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&amp;', '&'),
    ).toBe(words);
  });
});

describe('svgOf on the page', () => {
  test('uses the colours and the font of the page', async () => {
    const svg = await svgOf(chart, CHART_STYLES.page, 'words');
    expect(svg).toContain('aria-labelledby="words"');
    expect(svg).toContain('var(--accent)');
    expect(svg).not.toMatch(/#[0-9a-f]{6}|DejaVu/i);
  });

  test.each(Object.entries(CHART_STYLES))('contains nothing that the CSP forbids: %s', async (_, look) => {
    expect(await svgOf(chart, look)).not.toMatch(/ style=|<style|<script| on[a-z]+=/);
  });
});

test('chartSpec puts no user text into a Vega expression', () => {
  const signals = JSON.stringify(chartSpec(chartNamed('EVIL', { unit: 'EVIL' }), CHART_STYLES.picture)).match(
    /"signal":"[^"]*"/g,
  );
  expect(signals?.length).toBeGreaterThan(5);
  expect(signals?.filter((signal) => signal.includes('EVIL'))).toEqual([]);
});

import type { Span } from './injection.ts';

export interface Panel {
  title: string;
  values: (number | null)[];
  /** The expected range of each window. */
  ranges: ({ low: number; high: number } | undefined)[];
  /** Marked: the incident, or the false alarm. */
  span: Span;
  /** Windows shown before and after the span. */
  around: [before: number, after: number];
}

const [WIDTH, HEIGHT, TITLE, COLUMNS] = [400, 110, 16, 2];
const PLOT = HEIGHT - TITLE - 8;

const STYLE = `
text{font:11px system-ui,sans-serif;fill:#24292f}.ground{fill:#fff}.range{fill:#c9d8ee}.span{fill:#f6b26b;opacity:.5}
.line{fill:none;stroke:#24292f;stroke-width:1}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.ground{fill:#0d1117}.range{fill:#2b4464}.line{stroke:#e6edf3}}`;

/** One SVG with a numbered chart for each panel: the values, the expected range, and the marked windows. */
export function panelsOf(name: string, panels: readonly Panel[]): string {
  const [width, height] = [WIDTH * COLUMNS, HEIGHT * Math.ceil(panels.length / COLUMNS)];
  const charts = panels.map((panel, i) => {
    const place = `translate(${(i % COLUMNS) * WIDTH},${Math.floor(i / COLUMNS) * HEIGHT})`;
    return `<g transform="${place}">${chartOf(panel, i + 1)}</g>`;
  });
  const start = `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="${name}" viewBox="0 0 ${width} ${height}">`;
  const ground = `<rect class="ground" width="${width}" height="${height}"/>`;
  return `${start}<style>${STYLE}</style>${ground}\n${charts.join('\n')}</svg>\n`;
}

function chartOf({ title, values, ranges, span, around }: Panel, number: number): string {
  const first = Math.max(0, span.from - around[0]);
  const end = Math.min(values.length, span.to + around[1]);
  const shown = values.slice(first, end);
  const shownRanges = ranges.slice(first, end);
  // A range far above the values would flatten them.
  const top = 1.3 * Math.max(1e-9, ...shown.map((value) => value ?? 0));
  const x = (i: number) => Math.round(8 + (i / shown.length) * (WIDTH - 16));
  const y = (value: number) => Math.round(TITLE + 4 + PLOT * (1 - Math.min(1, Math.max(0, value / top))));
  const known = shownRanges.flatMap((range, i) => (range ? [{ i, ...range }] : []));
  const edge = (side: 'low' | 'high') => known.map((range) => `${x(range.i)},${y(range[side])}`);
  const line = shown.map((value, i) =>
    value === null ? '' : `${i === 0 || shown[i - 1] === null ? 'M' : 'L'}${x(i)},${y(value)}`,
  );
  const [from, to] = [x(span.from - first - 0.5), x(span.to - first - 0.5)];
  return [
    `<text x="8" y="12">${number} ${title}</text>`,
    `<polygon class="range" points="${[...edge('high'), ...edge('low').toReversed()].join(' ')}"/>`,
    `<rect class="span" x="${from}" y="${TITLE + 4}" width="${Math.max(2, to - from)}" height="${PLOT}"/>`,
    `<path class="line" d="${line.join('')}"/>`,
  ].join('');
}

import type { Loader } from 'vega';
import type { Chart } from '../messages/chart.ts';
import { altText } from '../messages/chart-text.ts';
import { escapedHtml } from '../text/escaped.ts';
import { chartSpec } from './chart-spec.ts';
import { CHART_STYLES, type ChartStyle } from './looks.ts';
import { BOLD, widthOf } from './text-fit.ts';

/** A chart must not load anything over the network. */
const refuse = () => Promise.reject(new Error('a chart may not load anything'));
const LOADER: Loader = { load: refuse, sanitize: refuse, http: refuse, file: refuse };

/** How Vega measures texts without a canvas. Its types leave it out. */
interface Measuring {
  textMetrics: { width: (item: { fontSize?: number; fontWeight?: string }, text: string) => number };
}

/** The chart as SVG without scripts, styles or links. `labelledBy`: the id of its description, by default in the SVG. */
export async function svgOf(
  chart: Chart,
  style: ChartStyle = CHART_STYLES.picture,
  labelledBy?: string,
): Promise<string> {
  // Loaded on first use, because it is the slowest part of a cold start.
  const vega = await import('vega');
  const { textMetrics } = vega as object as Measuring;
  // Vega's own estimate is a third too wide, and would waste the room.
  textMetrics.width = ({ fontSize = 11, fontWeight }, text) =>
    widthOf(text, fontSize) * (fontWeight === 'bold' ? BOLD : 1);
  const view = new vega.View(vega.parse(chartSpec(chart, style)), { renderer: 'none', loader: LOADER });
  try {
    const drawn = await view.toSVG();
    const name = labelledBy
      ? `aria-labelledby="${labelledBy}"`
      : `aria-label="${escapedHtml(altText(chart))}"`;
    const { width, height, colours } = style;
    const size = `width="${width}" height="${height}"`;
    const ground = `<rect ${size} fill="${colours.ground}" stroke="${colours.line}" stroke-width="2"/>`;
    const content = `${style.isAlone ? ground : ''}${drawn.slice(drawn.indexOf('>') + 1)}`;
    return `<svg xmlns="http://www.w3.org/2000/svg" role="img" ${name} ${size} viewBox="0 0 ${width} ${height}">${content}`;
  } finally {
    view.finalize();
  }
}

import type { Loader } from 'vega';
import type { Chart } from '../messages/chart.ts';
import { chartSpec } from './chart-spec.ts';
import { chartWords } from './chart-words.ts';
import { CHART_STYLES, type ChartStyle } from './looks.ts';

/** A chart must not load anything over the network. */
const refuse = () => Promise.reject(new Error('a chart may not load anything'));
const LOADER: Loader = { load: refuse, sanitize: refuse, http: refuse, file: refuse };

/**
 * The chart as an SVG document without scripts, styles or links. `labelledBy`: the id of an element of the page with
 * the description. Without it, the SVG has its own.
 */
export async function svgOf(
  chart: Chart,
  style: ChartStyle = CHART_STYLES.picture,
  labelledBy?: string,
): Promise<string> {
  // Loaded on first use, because it is the slowest part of a cold start.
  const { parse, View } = await import('vega');
  const view = new View(parse(chartSpec(chart, style)), { renderer: 'none', loader: LOADER });
  try {
    const drawn = await view.toSVG();
    const name = labelledBy
      ? `aria-labelledby="${labelledBy}"`
      : `aria-label="${escaped(chartWords(chart))}"`;
    const size = `width="${style.width}" height="${style.height}" viewBox="0 0 ${style.width} ${style.height}"`;
    return `<svg xmlns="http://www.w3.org/2000/svg" role="img" ${name} ${size}>${drawn.slice(drawn.indexOf('>') + 1)}`;
  } finally {
    view.finalize();
  }
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

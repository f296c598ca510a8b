import type { Loader } from 'vega';
import type { Chart } from '../alerting/messages/chart.ts';
import { altText } from '../alerting/messages/chart-text.ts';
import { chartSpec } from './chart-spec.ts';
import { type EvaluatedRun, LOOKS } from './looks.ts';

/** A drawing asks nothing of any host, whatever is written in it. */
const refuse = () => Promise.reject(new Error('a drawing loads nothing'));
const LOADER: Loader = { load: refuse, sanitize: refuse, http: refuse, file: refuse };

/**
 * The chart as an SVG document without scripts, styles or links. `labelledBy`: the id of an element of the page that
 * says the same in words; without it the drawing says so itself.
 */
export async function svgOf(
  chart: Chart,
  look: EvaluatedRun = LOOKS.picture,
  labelledBy?: string,
): Promise<string> {
  // Loaded when first drawn: it takes longer than all else that the function does at its start.
  const { parse, View } = await import('vega');
  const view = new View(parse(chartSpec(chart, look)), { renderer: 'none', loader: LOADER });
  try {
    const drawn = await view.toSVG();
    const name = labelledBy ? `aria-labelledby="${labelledBy}"` : `aria-label="${escaped(altText(chart))}"`;
    const size = `width="${look.width}" height="${look.height}" viewBox="0 0 ${look.width} ${look.height}"`;
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

import { html, raw } from 'hono/html';
import { chartWords } from '../../shared/charts/chart-words.ts';
import { CHART_STYLES } from '../../shared/charts/looks.ts';
import { svgOf } from '../../shared/charts/svg.ts';
import type { Chart } from '../../shared/messages/chart.ts';
import type { Html } from '../../shared/pages/html.ts';
import { table } from '../../shared/pages/table.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import type { Fire } from './fires.ts';
import type { Answer } from './hits.ts';
import type { Label } from './label.ts';
import type { Plots } from './plots.ts';
import { beginText, firedOnText, openText, segmentText } from './report-text.ts';
import type { RuleStatistics } from './statistics.ts';

/** Charts per rule, and listed alerts per rule. */
const DRAWN = 3;
const LISTED = 100;

/** One rule: charts of the series that fired most, and its alerts. */
export async function ruleSection(
  { rule, fires, alerts }: RuleStatistics,
  { plots, labels, answers }: { plots: Plots; labels: Label[]; answers: Answer[] | undefined },
): Promise<Html> {
  const segments = plots.segmentsOf(rule.id, fires);
  // For a rule that never fired, one chart shows how close it came.
  const fired = segments.filter((segment) => fires.some((fire) => fire.segment === segment));
  const drawn = (fired.length > 0 ? fired : segments.slice(0, 1)).slice(0, DRAWN);
  const charts = drawn.flatMap((segment) => plots.chartOf(rule.id, segment, { fires, labels }) ?? []);
  const figures = await Promise.all(charts.map((chart, i) => figureOf(chart, `rule-${rule.id}-${i + 1}`)));
  const more = fired.length - drawn.length;
  const id = `rule-${rule.id}`;
  return html`<section class="rule" aria-labelledby="${id}"><h2 id="${id}">${rule.title}</h2>
<p class="quiet"><code>${rule.id}</code> · ${rule.severity} · ${rule.owner} · ${alerts === 0 ? 'no alert' : alerts === 1 ? '1 alert' : `${alerts} alerts`}${rule.members && html` · watches ${rule.members.ruleIds.join(', ')}`}</p>
${figures}
${more > 0 && html`<p class="quiet">${more} more segments fired.</p>`}
${fires.length > 0 && firesOf(fires, rule, answers)}
</section>`;
}

async function figureOf(chart: Chart, id: string): Promise<Html> {
  const [wide, narrow] = await Promise.all([
    svgOf(chart, CHART_STYLES.page, id),
    svgOf(chart, CHART_STYLES.narrow, id),
  ]);
  return html`<figure class="chart">
${chart.part !== null && html`<p><strong>${chart.part}</strong></p>`}
<div class="wide">${raw(wide)}</div>
<div class="narrow">${raw(narrow)}</div>
<figcaption id="${id}">${chartWords(chart)}</figcaption>
</figure>`;
}

function firesOf(fires: Fire[], rule: Rule, answers: Answer[] | undefined): Html {
  const rows = fires
    .slice(0, LISTED)
    .map((fire) => [
      beginText(fire.window, rule),
      ...(hasParts(fires) ? [segmentText(fire.segment)] : []),
      ...[firedOnText(fire, rule), openText(fire)],
      ...(answers ? [matchText(answers.find((each) => each.fire === fire))] : []),
    ]);
  const heads = [
    ...['Fired on', ...(hasParts(fires) ? ['Segment'] : []), 'Expected and found', 'Open for'],
    ...(answers ? ['Incident'] : []),
  ];
  const which = fires.length > LISTED ? `The first ${LISTED} of ${fires.length} alerts` : 'Its alerts';
  return html`<details class="words"><summary>${which}</summary>
${table(`Alerts of ${rule.id}, in ${rule.zone}`, heads, rows)}</details>`;
}

/** The matched incidents of an alert, or where incidents were otherwise. */
function matchText(answer: Answer | undefined): string {
  if (answer?.match === 'right') return answer.labels.map(({ title }) => title).join(', ');
  return answer?.match === 'elsewhere' ? 'elsewhere at that time' : 'none at that time';
}

function hasParts(fires: Fire[]): boolean {
  return fires.some(({ segment }) => segment !== null);
}

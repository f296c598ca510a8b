import { html, raw } from 'hono/html';
import type { Html } from '../../functions/respond/page/html.ts';
import { table } from '../../functions/respond/page/table.ts';
import type { Chart } from '../../shared/alerting/chart.ts';
import { altText } from '../../shared/alerting/chart-words.ts';
import type { Rule } from '../../shared/alerting/rule.ts';
import { LOOKS } from '../../shared/pictures/looks.ts';
import { svgOf } from '../../shared/pictures/svg.ts';
import type { Comparison, RuleComparison } from './compare.ts';
import type { Fire } from './fires.ts';
import type { Answer } from './hits.ts';
import type { Label } from './labels.ts';
import type { Plots } from './plots.ts';
import type { RuleStatistics } from './statistics.ts';
import {
  beginText,
  changedRulesText,
  changeText,
  firedOnText,
  movedText,
  openText,
  rateText,
  segmentText,
} from './words.ts';

/** Series of one rule that are drawn, and alerts of one that are listed. */
const DRAWN = 3;
const LISTED = 100;

/** One rule with the charts of the series that fired most, and its alerts. */
export async function ruleSection(
  { rule, fires, alerts }: RuleStatistics,
  { plots, labels, answers }: { plots: Plots; labels: Label[]; answers: Answer[] | undefined },
): Promise<Html> {
  const segments = plots.segmentsOf(rule.id, fires);
  // Of a rule that never fired one series shows how far it was from it.
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
  const [wide, narrow] = await Promise.all([svgOf(chart, LOOKS.page, id), svgOf(chart, LOOKS.narrow, id)]);
  return html`<figure class="chart">
${chart.part !== null && html`<p><strong>${chart.part}</strong></p>`}
<div class="wide">${raw(wide)}</div>
<div class="narrow">${raw(narrow)}</div>
<figcaption id="${id}">${altText(chart)}</figcaption>
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

/** What an alert is right about, or else where the incidents were. */
function matchText(answer: Answer | undefined): string {
  if (answer?.match === 'right') return answer.labels.map(({ title }) => title).join(', ');
  return answer?.match === 'elsewhere' ? 'elsewhere at that time' : 'none at that time';
}

function hasParts(fires: Fire[]): boolean {
  return fires.some(({ segment }) => segment !== null);
}

/** What a change of the rules adds and removes. */
export function changedSection({ changes, rules, heard, ...sums }: Comparison, against: string): Html {
  const row = (name: string, { before, after }: { before: number; after: number }) => [
    ...[name, rateText(before), rateText(after)],
  ];
  return html`<section aria-labelledby="change"><h2 id="change">Against ${against}</h2>
<p>Of the rules, ${changedRulesText(changes)}.</p>
${table('Before and after', ['A month', 'Before', 'After'], [row('Alerts', sums.alertsPerMonth), row('Messages', sums.messagesPerMonth), ...heard.map((each) => row(`${each.route} → ${each.channel}`, each))])}
${rules.length === 0 ? html`<p>No alert of these days comes, goes or lasts otherwise.</p>` : rules.map((each) => changeOf(each, changes))}
</section>`;
}

function changeOf(each: RuleComparison, changes: Comparison['changes']): Html {
  const { rule, kind, appears, disappears, moved } = each;
  const fields = changes.changed.find(({ after }) => after.id === rule.id)?.fields ?? [];
  const isParted = hasParts([...appears, ...disappears, ...moved.map((pair) => pair.after)]);
  const line = (what: string, fire: Fire, rest: string) => [
    ...[beginText(fire.window, rule), what],
    ...(isParted ? [segmentText(fire.segment)] : []),
    ...[firedOnText(fire, rule), rest],
  ];
  const heads = ['Fired on', 'What', ...(isParted ? ['Segment'] : []), 'Expected and found', 'Open for'];
  const rows = [
    ...appears.map((fire) => line('new', fire, openText(fire))),
    ...disappears.map((fire) => line('gone', fire, openText(fire))),
    ...moved.map((pair) => line('moved', pair.after, movedText(pair))),
  ];
  return html`<details class="words" open><summary>${rule.id} (${kind}): ${changeText(each)}</summary>
${fields.length > 0 && html`<ul>${fields.map(({ field, before = 'none', after = 'none' }) => html`<li><code>${field}</code>: ${before} → ${after}</li>`)}</ul>`}
${rows.length > 0 && table(`Alerts of ${rule.id}`, heads, rows.slice(0, LISTED))}</details>`;
}

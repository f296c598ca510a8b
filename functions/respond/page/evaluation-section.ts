import { html } from 'hono/html';
import type { Evaluation, Gate, GateName } from '../../../shared/alerting/evaluation.ts';
import { metricOf } from '../../../shared/alerting/metrics.ts';
import type { FigureRule, Rule } from '../../../shared/alerting/rule.ts';
import { baselineText, figure, windowText } from '../../../shared/alerting/wording.ts';
import { badge, changeText, valueText } from './alert-parts.ts';
import type { Html } from './html.ts';
import { facts } from './table.ts';
import { ago, withTimes } from './time.ts';

const GATES: Record<GateName, string> = {
  settled: 'Settled',
  fresh: 'Fresh data',
  holiday: 'No holiday',
  volume: 'Enough volume',
  threshold: 'Outside the bounds',
  significance: 'More than noise',
  season: 'Unusual for the time of the week',
  family: 'Stands out among the segments',
  member: 'Rule fires',
};

/** What the last window was found to be, and every test on the way there. */
export function evaluationSection(rule: Rule, evaluation: Evaluation, now: number): Html {
  const { window, verdict, reason, gates } = evaluation;
  return html`<section><h2>Last evaluation</h2>
<p>${badge(verdict)} ${withTimes(reason, rule.zone)} <span class="quiet">· the window ended ${ago(window.endAt, now)}</span></p>
${rule.members ? '' : figureFacts(rule, evaluation)}
<h3>Gates, in the order they are taken</h3>
<ol class="gates">${gates.map((gate) => gateItem(gate, rule.zone))}</ol></section>`;
}

function figureFacts(rule: FigureRule, evaluation: Evaluation): Html {
  const { window, current, baseline, previous, difference } = evaluation;
  const calendar = { grain: rule.window, zone: rule.zone };
  const { unit } = metricOf(rule);
  return facts([
    ['Now', html`<strong>${valueText(current.value)}</strong> ${unit} in ${windowText(window, calendar)}`],
    [
      'Before',
      html`<strong>${valueText(baseline.value)}</strong> ${unit} ${baselineText(evaluation, calendar)}`,
    ],
    ...(rule.baseline.to === 'previous_period'
      ? []
      : [['The window before', `${valueText(previous.value)} ${unit}`] as const]),
    [
      'Difference',
      difference === null ? 'unknown' : `${figure(difference)} (${changeText({ last: evaluation })})`,
    ],
  ]);
}

function gateItem({ gate, passed, detail }: Gate, zone: string): Html {
  return html`<li class="${passed ? 'passed' : 'stopped'}"><strong>${GATES[gate]}</strong> <span class="outcome">${passed ? '✓ yes' : '✗ no'}</span>
<span class="detail">${withTimes(detail, zone)}</span></li>`;
}

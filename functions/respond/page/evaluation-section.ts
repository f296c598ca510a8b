import { html } from 'hono/html';
import type { Evaluation } from '../../../shared/alerting/evaluation/evaluation.ts';
import type { Gate, GateName } from '../../../shared/alerting/evaluation/gate.ts';
import { baselineText, momentsIn, stretchText } from '../../../shared/alerting/messages/figure-text.ts';
import { gateText } from '../../../shared/alerting/messages/gate-text.ts';
import { verdictText } from '../../../shared/alerting/messages/verdict-text.ts';
import { metricOf } from '../../../shared/alerting/rules/metrics.ts';
import type { FigureRule, Rule } from '../../../shared/alerting/rules/rule.ts';
import type { Html } from '../../../shared/pages/html.ts';
import { facts } from '../../../shared/pages/table.ts';
import { ago, inWindowFor, type Viewer } from '../../../shared/pages/time.ts';
import { badge, changeText, shownValue } from './alert-parts.ts';

const GATES: Record<GateName, string> = {
  settled: 'Settled',
  fresh: 'Fresh data',
  holiday: 'No holiday',
  volume: 'Enough volume',
  threshold: 'Crosses the threshold',
  significance: 'Statistically significant',
  season: 'Outside the seasonal range',
  rollout: 'Beyond a rollout',
  family: 'Stands out among the segments',
  member: 'Rule is firing',
};

/** The verdict on the last window, and each gate with its result. */
export function evaluationSection(rule: Rule, evaluation: Evaluation, viewer: Viewer): Html {
  const { window, verdict, gates } = evaluation;
  const zone = viewer.zone ?? rule.zone;
  return html`<section id="evaluation"><h2>Last evaluation</h2>
<p>${badge(verdict)} ${verdictText(evaluation, momentsIn(zone))} <span class="quiet">· the window ended ${ago(window.endAt, viewer.now)}</span></p>
${rule.members ? '' : figureFacts(rule, evaluation, viewer)}
<h3>Gates, in evaluation order</h3>
<ol class="gates">${gates.map((gate) => gateItem(gate, zone))}</ol>
${statistics(evaluation)}</section>`;
}

function figureFacts(rule: FigureRule, evaluation: Evaluation, viewer: Viewer): Html {
  const { window, current, baseline, previous, difference } = evaluation;
  const calendar = { grain: rule.window, zone: (rule.window === 'hour' && viewer.zone) || rule.zone };
  const { unit } = metricOf(rule);
  return facts([
    [
      'Current',
      html`<strong>${shownValue(current.value, rule)}</strong> ${unit} ${inWindowFor(window, rule, viewer)}`,
    ],
    [
      'Baseline',
      html`<strong>${shownValue(baseline.value, rule)}</strong> ${unit} ${baselineText(evaluation, calendar)}${stretchText(evaluation, rule)}`,
    ],
    ...(rule.baseline.to === 'previous_period'
      ? []
      : [['Previous window', `${shownValue(previous.value, rule)} ${unit}`] as const]),
    [
      'Difference',
      difference === null
        ? 'unknown'
        : `${shownValue(difference, rule)} (${changeText({ last: evaluation })})`,
    ],
  ]);
}

function gateItem(gate: Gate, zone: string): Html {
  const { passed, figures } = gate;
  // The text above already names the times.
  const decided = Object.entries<number | undefined>(figures).flatMap(([name, value]) =>
    value === undefined || name.endsWith('At') ? [] : [`${spacedName(name)} ${exact(value)}`],
  );
  const shown = decided.join(' · ');
  return html`<li class="${passed ? 'passed' : 'stopped'}"><strong>${GATES[gate.gate]}</strong> <span class="outcome">${passed ? '✓ yes' : '✗ no'}</span>
<span class="detail">${gateText(gate, momentsIn(zone))}${shown !== '' && html` <span class="figures">${shown}</span>`}</span></li>`;
}

/** "adjustedP" as "adjusted p". */
function spacedName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function exact(value: number): string {
  return Number.isInteger(value) ? value.toLocaleString('en-US') : String(Number(value.toPrecision(4)));
}

/** The intermediate results of the tests, so that a reader can reproduce them. */
function statistics({ significance, surprise }: Evaluation): Html {
  const { family = null, ...count } = significance ?? {};
  const sets = { ...count, ...family, ...surprise };
  const pairs = Object.entries(sets).flatMap(([name, value]) =>
    value === null
      ? []
      : [[spacedName(name), typeof value === 'number' ? exact(value) : value ? 'yes' : 'no'] as const],
  );
  if (pairs.length === 0) return html``;
  return html`<details><summary>Statistics</summary>${facts(pairs)}</details>`;
}

import { html } from 'hono/html';
import type { Evaluation } from '../../../shared/evaluation/evaluation.ts';
import type { Gate, GateName } from '../../../shared/evaluation/gate.ts';
import { evaluationFacts } from '../../../shared/messages/facts.ts';
import { gateText } from '../../../shared/messages/gate-text.ts';
import { verdictText } from '../../../shared/messages/verdict-text.ts';
import type { Html } from '../../../shared/pages/html.ts';
import { facts } from '../../../shared/pages/table.ts';
import { ago, type Viewer } from '../../../shared/pages/time.ts';
import type { FigureRule, Rule } from '../../../shared/rules/rule.ts';
import { badge } from './alert-parts.ts';

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
  const { current, verdict, gates } = evaluation;
  const { zone } = rule;
  return html`<section id="evaluation"><h2>Last evaluation</h2>
<p>${badge(verdict)} ${verdictText(evaluation, zone, rule)} <span class="quiet">· the window ended ${ago(current.window.endAt, viewer.now)}</span></p>
${rule.members ? '' : factSheet(evaluation, rule)}
<h3>Gates, in evaluation order</h3>
<ol class="gates">${gates.map((gate) => gateItem(gate, rule, zone))}</ol></section>`;
}

/** The figures of an evaluation, as in a message. */
export function factSheet(evaluation: Evaluation, rule: FigureRule): Html {
  return facts(evaluationFacts(evaluation, rule).map(({ label, text }) => [label, text]));
}

function gateItem(gate: Gate, rule: Rule, zone: string): Html {
  const { passed } = gate;
  return html`<li class="${passed ? 'passed' : 'stopped'}"><strong>${GATES[gate.gate]}</strong> <span class="outcome">${passed ? '✓ yes' : '✗ no'}</span>
<span class="detail">${gateText(gate, zone, rule.members ? undefined : rule)}</span></li>`;
}

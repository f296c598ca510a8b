import { html } from 'hono/html';
import type { Evaluation } from '../../../shared/evaluation/evaluation.ts';
import type { Gate, GateName } from '../../../shared/evaluation/gate.ts';
import { type RecordsBehind, recordsBehind } from '../../../shared/evaluation/records-behind.ts';
import { baselineText, momentsIn, stretchText } from '../../../shared/messages/figure-text.ts';
import { gateText } from '../../../shared/messages/gate-text.ts';
import { differenceText } from '../../../shared/messages/movement-text.ts';
import { verdictText } from '../../../shared/messages/verdict-text.ts';
import type { Html } from '../../../shared/pages/html.ts';
import { facts } from '../../../shared/pages/table.ts';
import { ago, inWindowFor, type Viewer } from '../../../shared/pages/time.ts';
import type { FigureRule, Rule } from '../../../shared/rules/rule.ts';
import { metricOf } from '../../../shared/rules/watched-metric.ts';
import { shellWord } from '../../../shared/runtime/shell-word.ts';
import type { Window } from '../../../shared/time/window.ts';
import { badge, shownValue } from './alert-parts.ts';

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

/** Proxies refuse longer URLs. */
const MOST_FILTER_CHARS = 5500;

/** The verdict on the last window, and each gate with its result. */
export function evaluationSection(rule: Rule, evaluation: Evaluation, viewer: Viewer): Html {
  const {
    current: { window },
    verdict,
    gates,
  } = evaluation;
  const zone = viewer.zone ?? rule.zone;
  return html`<section id="evaluation"><h2>Last evaluation</h2>
<p>${badge(verdict)} ${verdictText(evaluation, momentsIn(zone))} <span class="quiet">· the window ended ${ago(window.endAt, viewer.now)}</span></p>
${rule.members ? '' : figureFacts(rule, evaluation, viewer)}
<h3>Gates, in evaluation order</h3>
<ol class="gates">${gates.map((gate) => gateItem(gate, rule, zone))}</ol>
${statistics(evaluation)}</section>`;
}

function figureFacts(rule: FigureRule, evaluation: Evaluation, viewer: Viewer): Html {
  const { current, baseline, previous, difference } = evaluation;
  const calendar = { grain: rule.window, zone: (rule.window === 'hour' && viewer.zone) || rule.zone };
  const { unit } = metricOf(rule);
  return facts([
    [
      'Current',
      html`<strong>${shownValue(current.value, rule)}</strong> ${unit} ${inWindowFor(current.window, rule, viewer)}`,
    ],
    [
      'Baseline',
      html`<strong>${shownValue(baseline.value, rule)}</strong> ${unit} ${baselineText(baseline, calendar)}${stretchText(evaluation, rule)}`,
    ],
    ...(rule.baseline.to === 'previous_period'
      ? []
      : [['Previous window', `${shownValue(previous.value, rule)} ${unit}`] as const]),
    ['Difference', difference === null ? 'unknown' : differenceText(evaluation, rule)],
  ]);
}

function gateItem(gate: Gate, rule: Rule, zone: string): Html {
  const { passed } = gate;
  return html`<li class="${passed ? 'passed' : 'stopped'}"><strong>${GATES[gate.gate]}</strong> <span class="outcome">${passed ? '✓ yes' : '✗ no'}</span>
<span class="detail">${gateText(gate, momentsIn(zone), rule.members ? undefined : rule)}</span></li>`;
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

/** A series of a rule, one of its windows, and the base URL of the service if the page knows it. */
interface Behind {
  rule: FigureRule;
  segment: string | null;
  window: Window;
  serviceUrl: string | undefined;
}

/** Commands that list the events or sessions behind the figures of a window. The page itself calls no service. */
export function recordsSection({ rule, segment, window, serviceUrl }: Behind): Html {
  const lists = recordsBehind(rule, segment, window).filter(
    ({ filters }) => encodeURIComponent(JSON.stringify(filters)).length <= MOST_FILTER_CHARS,
  );
  if (lists.length === 0) return html``;
  return html`<section id="records"><h2>Records of the last window</h2>
<p class="quiet">These commands list the records that the rule watches, newest first. <code>API_KEY</code> is a key of the app${serviceUrl === undefined && html`, and <code>URL</code> the address of the data access service`}.</p>
${lists.map((list) => html`<h3>${headingOf(list)}</h3><pre><code>${curl(list, rule.app, serviceUrl)}</code></pre>`)}</section>`;
}

function headingOf({ name, endpoint }: RecordsBehind): Html {
  const records = endpoint === 'event' ? 'Events' : 'Sessions';
  return name === null ? html`${records}` : html`${records} of <code>${name}</code>`;
}

function curl({ endpoint, filters }: RecordsBehind, app: string, serviceUrl: string | undefined): string {
  const path = `/v2/${endpoint}`;
  return [
    `curl -G ${serviceUrl === undefined ? `"$URL${path}"` : shellWord(`${serviceUrl}${path}`)}`,
    `-H "X-Api-Key: $API_KEY" -H ${shellWord(`X-App-Id: ${app}`)}`,
    '-d page=1 -d page_size=50',
    `--data-urlencode ${shellWord(`filters=${JSON.stringify(filters)}`)}`,
  ].join(' \\\n  ');
}

import { html } from 'hono/html';
import { isExpected, largestMoves, type Move } from '../../../shared/alerts/moves.ts';
import { expectedText } from '../../../shared/messages/chart-text.ts';
import { inWindowText, percentText } from '../../../shared/messages/figure-text.ts';
import { alertPath } from '../../../shared/messages/page-paths.ts';
import type { Html } from '../../../shared/pages/html.ts';
import { type Cell, table } from '../../../shared/pages/table.ts';
import type { LastTick, RunStore } from '../../../shared/planning/run-store.ts';
import { groupText } from '../../../shared/rules/group-by.ts';
import type { FigureRule, Rule } from '../../../shared/rules/rule.ts';
import { metricOf } from '../../../shared/rules/watched-metric.ts';
import { badge, segmentTag, shownValue } from './alert-parts.ts';

/** The moves that the last run of each cadence found. One read for each cadence. */
export async function loadMoves(ticks: LastTick[], runs: Pick<RunStore, 'loadMoves'>): Promise<Move[]> {
  return (await Promise.all(ticks.map(({ tick }) => runs.loadMoves(tick)))).flat();
}

/** The largest changes in the last windows of all rules, whether they fired or not. */
export function movesSection(moves: Move[], byId: Map<string, Rule>): Html {
  const ruleOf = ({ ruleId }: Move) => {
    const rule = byId.get(ruleId);
    return rule?.members ? undefined : rule;
  };
  const rows = largestMoves(moves.filter(ruleOf)).flatMap((move) => {
    const rule = ruleOf(move);
    return rule ? [rowOf(move, rule)] : [];
  });
  return html`<section id="moves"><h2>What moved</h2>
${
  rows.length === 0
    ? html`<p class="empty">No changes yet. After the next run, this list shows the largest ones, whether they fire or not.</p>`
    : html`<p class="quiet">The largest changes in the last window of each rule, whether they fired or not. Changes without enough volume are left out.</p>
${table('What moved', ['Rule', 'Change', 'Baseline → last window', 'Expected range', 'Window'], rows)}`
}</section>`;
}

function rowOf(move: Move, rule: FigureRule): Cell[] {
  const { segment, change, baseline, value, window } = move;
  return [
    html`<a href="${alertPath(move)}">${rule.title}</a>${segment !== null && html` ${segmentTag(segment, groupText(rule))}`}`,
    html`<strong class="figure">${change === null ? 'new, from 0' : percentText(change)}</strong>`,
    html`<span class="figure">${shownValue(baseline, rule)} <span class="arrow" role="img" aria-label="to">→</span> ${shownValue(value, rule)}</span> ${metricOf(rule).unit}`,
    rangeCell(move, rule),
    inWindowText(window, { grain: rule.window, zone: rule.zone }),
  ];
}

function rangeCell(move: Move, rule: FigureRule): Cell {
  const isWithin = isExpected(move);
  if (isWithin === undefined || !move.band) return 'unknown';
  const range = expectedText(move.band, metricOf(rule).kind === 'ratio', move.value);
  return html`${badge(isWithin ? 'within' : 'outside')} <span class="quiet figure">${range}</span>`;
}

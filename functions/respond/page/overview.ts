import { html } from 'hono/html';
import type { AlertStore } from '../../../shared/alerts/alert-store.ts';
import { isExpected, largestMoves, type Move } from '../../../shared/alerts/moves.ts';
import { expectedText } from '../../../shared/messages/chart-text.ts';
import { percentText } from '../../../shared/messages/figure-text.ts';
import { alertPath } from '../../../shared/messages/page-paths.ts';
import { inWindowText } from '../../../shared/messages/time-text.ts';
import type { Html, View } from '../../../shared/pages/html.ts';
import type { Progress } from '../../../shared/pages/progress.ts';
import { type Cell, table } from '../../../shared/pages/table.ts';
import type { Viewer } from '../../../shared/pages/time.ts';
import type { LastTick, RunStore } from '../../../shared/planning/run-store.ts';
import {
  failingRulesIn,
  loadListed,
  openIn,
  type Status,
  stoppedApps,
  unreadIn,
  type Watched,
} from '../../../shared/responding/alert-status.ts';
import { groupText } from '../../../shared/rules/group-by.ts';
import type { FigureRule, Rule } from '../../../shared/rules/rule.ts';
import { metricOf } from '../../../shared/rules/watched-metric.ts';
import { counted } from '../../../shared/text/counted.ts';
import { capitalised } from '../../../shared/text/listed.ts';
import { badge, segmentTag, shownValue } from './alert-parts.ts';
import { alertTable } from './alerts-view.ts';
import { exploreTag } from './explore-link.ts';
import { type MainFigure, mainFigures } from './main-figures.ts';
import { unreadNote } from './unread-note.ts';

/** About one screen of alerts. The list of alerts has the rest. */
const SHOWN = 24;

export interface Overview {
  status: Status;
  /** The most severe open alerts. */
  mostSevere: Watched[];
  figures: MainFigure[];
  moves: Move[];
  ticks: LastTick[];
  progress: Progress;
}

export function loadMostSevere(status: Status, alerts: Pick<AlertStore, 'load'>): Promise<Watched[]> {
  return loadListed(openIn(status).slice(0, SHOWN), alerts);
}

/** The open alerts, and what moved. */
export function overview(seen: Overview, viewer: Viewer): View {
  const { status, progress, mostSevere } = seen;
  const open = openIn(status).length;
  const failing = failingRulesIn(status).length;
  const more = open - mostSevere.length;
  const body = html`<h1>${headline(seen, open, failing)}</h1>
${progress.phase === 'catching-up' && progressPanel(progress)}
${lead(seen)}
${unreadNote(status)}
${failing > 0 && html`<p class="notice"><a href="/health#rules">Why ${counted(failing, 'rule')} cannot be evaluated</a></p>`}
${open > 0 && html`<section><h2>Open alerts</h2>${alertTable(mostSevere, viewer, status.silences)}${more > 0 && html`<p><a href="/alerts">${more} more</a></p>`}</section>`}
${mainFigures(seen.figures)}
${isEvaluated(seen) && movesSection(seen.moves, status.byId, viewer)}`;
  return { title: 'Overview', body, ...(progress.phase === 'catching-up' && { refreshSeconds: 2 }) };
}

/** Never "No open alerts" while a rule or an alert cannot be evaluated or read. */
function headline(seen: Overview, open: number, failing: number): string {
  if (!isEvaluated(seen)) return 'Waiting for the first run';
  const stopped = stoppedApps(seen.status);
  const moved = open - stopped.length;
  const unread = unreadIn(seen.status).length;
  const unreadAlerts = seen.status.unread.length;
  const parts = [
    ...stopped.map((app) => `no data from ${app}`),
    ...(moved > 0 ? [`${counted(moved, 'alert')} open`] : []),
    ...(failing > 0 ? [`${counted(failing, 'rule')} cannot be evaluated`] : []),
    ...(unread > 0 ? [`${counted(unread, 'rule')} cannot be read`] : []),
    ...(unreadAlerts > 0 ? [`${counted(unreadAlerts, 'alert')} cannot be read`] : []),
  ];
  return capitalised(parts.join(', ') || 'no open alerts');
}

function isEvaluated({ ticks, status }: Overview): boolean {
  if (unreadIn(status).length > 0) return true;
  return status.rules.length > 0 && (ticks.length > 0 || status.open.length > 0);
}

function lead({ status }: Overview): Html | undefined {
  const { rules } = status;
  if (rules.length > 0)
    return html`<p class="lead">${counted(rules.length, 'active rule')}. <a href="/health">Health</a> has the time of the next run.</p>`;
  if (unreadIn(status).length > 0) return undefined;
  return html`<p class="empty">No rules are deployed. After a deployment, this page shows open alerts and what moved.</p>`;
}

function progressPanel({ step, done, total, note }: Extract<Progress, { phase: 'catching-up' }>): Html {
  const percent = total > 0 ? Math.floor((100 * Math.min(done, total)) / total) : 0;
  return html`<section class="panel" aria-label="Progress">
<p><label for="progress"><strong>${step}</strong></label> <span class="quiet">${percent}%</span></p>
<progress id="progress" max="100" value="${percent}">${percent}%</progress>
${note !== undefined && html`<p class="quiet">${note}</p>`}</section>`;
}

/** The moves that the last run of each cadence found. One read for each cadence. */
export async function loadMoves(ticks: LastTick[], runs: Pick<RunStore, 'loadMoves'>): Promise<Move[]> {
  return (await Promise.all(ticks.map(({ tick }) => runs.loadMoves(tick)))).flat();
}

/** The largest changes in the last windows of all rules, whether they fired or not. */
function movesSection(moves: Move[], byId: Map<string, Rule>, viewer: Viewer): Html {
  const ruleOf = ({ ruleId }: Move) => {
    const rule = byId.get(ruleId);
    return rule?.members ? undefined : rule;
  };
  const rows = largestMoves(moves.filter(ruleOf)).flatMap((move) => {
    const rule = ruleOf(move);
    return rule ? [rowOf(move, rule, viewer)] : [];
  });
  return html`<section id="moves"><h2>What moved</h2>
${
  rows.length === 0
    ? html`<p class="empty">No changes yet. After the next run, this list shows the largest ones, whether they fire or not.</p>`
    : html`<p class="quiet">The largest changes in the last window of each rule, whether they fired or not. Changes without enough volume are left out.</p>
${table('What moved', ['Rule', 'Change', 'Baseline → last window', 'Expected range', 'Window'], rows)}`
}</section>`;
}

function rowOf(move: Move, rule: FigureRule, viewer: Viewer): Cell[] {
  const { segment, change, baseline, value, window } = move;
  return [
    html`<a href="${alertPath(move)}">${rule.title}</a>${segment !== null && html` ${segmentTag(segment, groupText(rule))}`}${exploreTag(rule, segment, viewer)}`,
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

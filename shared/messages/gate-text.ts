import type { Surprise } from '../evaluation/evaluation.ts';
import type {
  CountFigures,
  FiringSeries,
  Gate,
  SeasonFigures,
  Sum,
  TestHistory,
} from '../evaluation/gate.ts';
import type { FigureRule } from '../rules/rule.ts';
import type { Watched } from '../rules/watched-metric.ts';
import { counted } from '../text/counted.ts';
import { quoted } from '../text/quoted.ts';
import { dateAt } from '../time/window.ts';
import { amountText, boundsText, figure, percentText, shareText, valueText } from './figure-text.ts';
import { momentText } from './time-text.ts';

/** The result of a gate with its figures, in the unit of the rule that was evaluated, if it is known. */
export function gateText(gate: Gate, zone: string, rule?: FigureRule): string {
  switch (gate.code) {
    case 'settled':
      return `closed at ${momentText(gate.figures.closedAt, zone)}, settled for ${gate.figures.settleMinutes} minutes`;
    case 'fresh':
      return 'the data are complete up to the end of the window';
    case 'data-late':
      return `the app has no data past the end of the window; the newest is from ${momentText(gate.figures.newestDataAt, zone)}`;
    case 'no-data-yet':
      return 'the app has no data yet';
    case 'not-a-holiday':
      return 'not a holiday';
    case 'zero-on-a-holiday':
      return `${gate.holiday}; a value of 0 counts as an outage on any day`;
    case 'holiday':
      return `${gate.holiday}; holidays are not evaluated`;
    case 'enough-volume': {
      const { current, baseline } = gate.figures;
      return `enough volume: ${figure(current)}${baseline === undefined ? '' : `, compared with ${figure(baseline)}`}`;
    }
    case 'too-little-volume':
      return `too little volume: ${gate.short} ${figure(gate.figures[gate.short] ?? 0)} is below the minimum of ${gate.figures.minimum}`;
    case 'outside-bounds':
    case 'within-bounds':
      return thresholdText(gate, rule);
    case 'significant':
      return countText(gate, rule);
    case 'not-significant':
      return `not significant: ${countText(gate, rule)}`;
    case 'unusual':
    case 'expected':
      return seasonText(gate.figures, rule);
    case 'back-to-expected':
      return `${seasonText(gate.figures, rule)}; back to normal`;
    case 'too-variable-to-tell':
      return `${seasonText(gate.figures, rule)}; values vary too much at this time of the week to tell whether it recovered`;
    case 'other-direction':
      return `${seasonText(gate.figures, rule)}; the rule fires only on a ${gate.anomaly}`;
    case 'stands-out':
      return `it stands out among ${gate.figures.tested} segments tested`;
    case 'does-not-stand-out':
      return `among ${gate.figures.tested} segments tested, one such change is expected by chance`;
    case 'beyond-rollout':
      return `${rolloutText(gate.figures)}; it still crosses the threshold`;
    case 'explained-by-rollout':
      return rolloutText(gate.figures);
    case 'member-firing':
      return firingText(gate);
    case 'member-not-firing':
      return `${quoted(gate.title)} is not firing`;
  }
}

type Of<Code extends Gate['code']> = Extract<Gate, { code: Code }>;

function thresholdText(
  { passed, figures, bounds }: Of<'outside-bounds' | 'within-bounds'>,
  rule: FigureRule | undefined,
): string {
  const { current, baseline, change } = figures;
  const by = change === undefined ? 'new, from 0' : percentText(change);
  const compared = baseline === undefined ? '' : ` compared with ${amountOf(baseline, rule)} (${by})`;
  const crosses = passed ? 'crosses the threshold' : 'does not cross the threshold';
  return `${amountOf(current, rule)}${compared} ${crosses} (${boundsText(bounds, rule)})`;
}

function amountOf(value: number, rule: FigureRule | undefined): string {
  return rule ? valueText(value, rule) : figure(value);
}

/** "a change this large happens by chance about once in 140 days; usual variation ±15% (from 15 earlier days)". */
function countText({ figures, history }: Of<'significant' | 'not-significant'>, rule?: FigureRule): string {
  if (history === 'segments') return betweenText(figures, rule);
  const grain = rule?.window ?? 'window';
  const chance = `a change this large happens by chance ${rateText(figures.p, grain)}`;
  const variation =
    figures.tau < NO_SPREAD
      ? 'usual variation no more than chance'
      : `usual variation ±${shareText(figures.tau)}`;
  const known = `${variation} (${sourceText(figures, history, rule)})`;
  return [chance, known, ...(rule ? allowedText(figures, rule) : [])].join('; ');
}

/** "a difference this large happens by chance about once in 140 comparisons; ±10% between versions is usual". */
function betweenText({ p, tau }: CountFigures, rule?: FigureRule): string {
  const parts = rule?.baseline.to === 'previous_version' ? 'versions' : 'segments';
  const chance = `a difference this large happens by chance ${rateText(p, 'comparison')}`;
  return `${chance}; ±${shareText(tau)} between ${parts} is usual`;
}

/** A probability as a frequency: "about once in 140 days". */
function rateText(p: number, grain: string): string {
  if (p < 0.0001) return `less than once in 10,000 ${grain}s`;
  if (p >= 0.5) return `on most ${grain}s`;
  return `about once in ${frequencyText(p)} ${grain}s`;
}

function frequencyText(p: number): string {
  return figure(Number((1 / p).toPrecision(2)));
}

/** A spread that rounds to 0%. */
const NO_SPREAD = 0.0005;

/** What the variation is estimated from. */
function sourceText(
  { pairs, knownSinceAt }: CountFigures,
  history: TestHistory,
  rule: FigureRule | undefined,
): string {
  if (pairs === 0)
    return `assumed, as ${history === 'rollouts' ? 'its history is part of a rollout' : 'it has no history of its own'}`;
  const earlier = counted(pairs, `earlier ${rule?.window ?? 'window'}`);
  if (history === 'enough') return `from ${earlier}`;
  if (history === 'rollouts') return `from ${earlier} outside of rollouts`;
  // A service that keeps data for a month looks like a series that began a month ago.
  const begins =
    knownSinceAt !== undefined && rule ? `, as data begins on ${dateAt(knownSinceAt, rule.zone)}` : '';
  return `from only ${earlier}${begins}`;
}

/** Above this p a message says why it fires anyway. The default `confidence` excludes it. */
const REMARKABLE_P = 0.01;

/** Why a change that is not rare fires: the rule allows it. */
function allowedText({ p }: CountFigures, { confidence, window }: FigureRule): string[] {
  if (p <= REMARKABLE_P || p > 1 - confidence) return [];
  return [
    `the rule allows once in ${frequencyText(1 - confidence)} ${window}s (confidence ${shareText(confidence)})`,
  ];
}

/** "60, where 100 is expected and 70 to 130 is normal; no deviation in 28 days was as large". */
function seasonText(figures: SeasonFigures, rule?: FigureRule): string {
  const { larger, remembered, sum, occasion } = figures;
  if (sum) return `${sumText(sum, rule)}; no single ${rule?.window ?? 'window'} stands out`;
  const texts = [figures.current, figures.expected, figures.low, figures.high];
  const [now, expected, low, high] = texts.map((each) => amountOf(each, rule));
  const days = counted(remembered, 'day');
  const rank =
    larger === 0
      ? `no deviation in ${days} was as large`
      : `deviations as large occurred on ${larger} of ${days}`;
  const on = occasion === undefined ? '' : ` (wider because of ${occasion})`;
  return `${now}, where ${expected} is expected and ${low} to ${high} is normal${on}; ${rank}`;
}

/** "4,120 in 3 days, where 5,600 is expected and 4,500 to 6,900 is normal". */
export function sumText({ windows, value, expected, low, high }: Sum, rule?: FigureRule): string {
  const [now, usual, least] = [value, expected, low].map((each) => amountOf(each, rule));
  const normal = high === null ? `${least} or more` : `${least} to ${amountOf(high, rule)}`;
  const span = counted(windows, rule?.window ?? 'window');
  return `${now} in ${span}, where ${usual} is expected and ${normal} is normal`;
}

/** "-31% or +40% in one day; -12% or +13% in each of 3 days": the least changes that are an anomaly. */
export function changesText(surprise: Surprise, { anomaly, window }: FigureRule): string {
  const texts = [{ ...surprise, windows: 1 }, ...(surprise.sums ?? [])].flatMap((each) => {
    const limits = [anomaly !== 'rise' && each.low, anomaly !== 'fall' && each.high];
    const changes = limits.flatMap((limit) => (limit ? [percentText(limit / each.expected - 1)] : []));
    const span = each.windows === 1 ? `one ${window}` : `each of ${counted(each.windows, window)}`;
    return changes.length > 0 && each.expected > 0 ? [`${changes.join(' or ')} in ${span}`] : [];
  });
  return texts.join('; ') || 'no change';
}

function rolloutText({ moved, expected }: Of<'beyond-rollout' | 'explained-by-rollout'>['figures']): string {
  const [most, left] = [figure(Math.abs(moved)), figure(expected)];
  return moved > 0
    ? `a rollout may have moved up to ${most} here from older versions, so up to ${left} are expected`
    : `a rollout may have moved up to ${most} from here to newer versions, so ${left} or more are expected`;
}

/** "Purchases fell from 1,000 to 590 events (-41%)", "Purchases: Malta fell ..., Germany is firing, 3 more". */
function firingText({ title, watched, firing, more }: Of<'member-firing'>): string {
  const [first] = firing;
  if (first?.segment === null && firing.length === 1)
    return `${quoted(title)} ${movementText(first, watched)}`;
  const series = firing.map(
    (each) => `${each.segment ? quoted(each.segment) : '(none)'} ${movementText(each, watched)}`,
  );
  return `${quoted(title)}: ${[...series, ...(more > 0 ? [`${more} more`] : [])].join(', ')}`;
}

function movementText({ movement }: FiringSeries, watched: Watched): string {
  if (!movement) return 'is firing';
  const { from, to, change } = movement;
  const by = change === null ? 'new' : percentText(change);
  return `${to < from ? 'fell' : 'rose'} from ${valueText(from, watched)} to ${amountText(to, watched)} (${by})`;
}

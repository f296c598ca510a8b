import type { CountFigures, FiringSeries, Gate, Learned, SeasonFigures } from '../evaluation/gate.ts';
import type { Watched } from '../rules/metrics.ts';
import { quoted } from '../text/quoted.ts';
import { amountText, boundsText, figure, percentText, pText, shareText, valueText } from './figure-text.ts';

/** Formats a moment in the zone of the reader. */
export type MomentText = (at: number) => string;

/**
 * The result of a gate with its exact figures, in the unit of `watched`. `plain-gate-text.ts` has the version without
 * statistics.
 */
export function gateText(gate: Gate, at: MomentText, watched?: Watched): string {
  switch (gate.code) {
    case 'settled':
      return `closed at ${at(gate.figures.closedAt)}, settled for ${gate.figures.settleMinutes} minutes`;
    case 'fresh':
      return 'the app has data past the end of the window';
    case 'data-late':
      return `the app has no data past the end of the window; the newest is from ${at(gate.figures.newestDataAt)}`;
    case 'no-data-yet':
      return 'the app has no data yet';
    case 'not-a-holiday':
      return 'not a holiday';
    case 'zero-on-a-holiday':
      return `${gate.holiday}; a value of 0 counts as an outage on any day`;
    case 'holiday':
      return `${gate.holiday}; holidays are not evaluated`;
    case 'enough-volume':
      return `enough volume: ${figure(gate.figures.current)}, compared with ${figure(gate.figures.baseline)}`;
    case 'too-little-volume':
      return `too little volume: ${gate.short} ${figure(gate.figures[gate.short])} is below the minimum of ${gate.figures.minimum}`;
    case 'outside-bounds':
    case 'within-bounds':
      return thresholdText(gate, watched);
    case 'significant':
      return `significant: ${countText(gate)}`;
    case 'not-significant':
      return `not significant: ${countText(gate)}`;
    case 'unusual':
    case 'expected':
      return seasonText(gate.figures);
    case 'back-to-expected':
      return `${seasonText(gate.figures)}; back to normal`;
    case 'too-variable-to-tell':
      return `${seasonText(gate.figures)}; values vary too much at this time of the week to tell whether it recovered`;
    case 'other-direction':
      return `${seasonText(gate.figures)}; the rule fires only on a ${gate.anomaly}`;
    case 'stands-out':
    case 'does-not-stand-out':
      return familyText(gate);
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
  watched: Watched | undefined,
): string {
  const { current, baseline, change } = figures;
  const by = change === undefined ? 'new, from 0' : percentText(change);
  const [now, before] = [current, baseline].map((value) =>
    watched ? valueText(value, watched) : figure(value),
  );
  return `${now} compared with ${before} (${by}) ${crossingText(passed)} (${boundsText(bounds, watched)})`;
}

export function crossingText(isCrossed: boolean): string {
  return isCrossed ? 'crosses the threshold' : 'does not cross the threshold';
}

function countText({ figures, ...learned }: Of<'significant' | 'not-significant'>): string {
  const { p, z } = figures;
  return `p ${pText(p)}, z ${z.toFixed(1)}, typical spread ${spreadText(figures)}${historyText(figures, learned)}`;
}

function spreadText({ tau, clustering }: CountFigures): string {
  return clustering > 1 ? `${shareText(tau)}, in clusters of ${figure(clustering)}` : shareText(tau);
}

function historyText({ pairs }: CountFigures, { history, borrowed }: Learned): string {
  const earlier = `${pairs} earlier ${pairs === 1 ? 'pair' : 'pairs'}`;
  const from = {
    enough: `, from ${earlier}`,
    little: `, little history (${earlier})`,
    rollouts: `, from ${earlier} outside of rollouts`,
  }[history];
  if (!borrowed) return from;
  const lender = {
    'other segments': "of the rule's other segments",
    'other series': 'assumed for any series',
  }[borrowed.from];
  const drawn = pairs === 0 ? 'so it is' : 'so pulled towards';
  return `${from}, ${drawn} the ${shareText(borrowed.tau)} ${lender}`;
}

function seasonText({ current, expected, low, high, larger, remembered }: SeasonFigures): string {
  const days = `${remembered} ${remembered === 1 ? 'day' : 'days'}`;
  const rank =
    larger === 0 ? `the largest deviation in ${days}` : `a deviation as large on ${larger} of ${days}`;
  return `${figure(current)}; expected ${figure(expected)} (${figure(low)} to ${figure(high)}); ${rank}`;
}

function familyText({ passed, figures }: Of<'stands-out' | 'does-not-stand-out'>): string {
  const { tested, adjustedP, rate } = figures;
  const among = `${tested} ${tested === 1 ? 'segment' : 'segments'} tested`;
  return `${passed ? 'stands out' : 'does not stand out'} among ${among}: adjusted p ${pText(adjustedP)}, limit ${pText(rate)}`;
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

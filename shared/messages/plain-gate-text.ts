import type { CountFigures, Gate, Learned, SeasonFigures } from '../evaluation/gate.ts';
import type { FigureRule } from '../rules/rule.ts';
import { dateAt } from '../time/window.ts';
import { boundsText, figure, shareText, valueText } from './figure-text.ts';
import { crossingText, gateText, type MomentText } from './gate-text.ts';

/** The result of a gate, without statistics. */
export function plainGateText(gate: Gate, rule: FigureRule, at: MomentText): string {
  switch (gate.code) {
    case 'significant':
      return chanceText(gate.figures, gate, rule);
    case 'not-significant':
      return `not significant: ${frequencyText(gate.figures, rule)}`;
    case 'stands-out':
      return `it stands out among ${gate.figures.tested} segments tested`;
    case 'does-not-stand-out':
      return `among ${gate.figures.tested} segments tested, one such change is expected by chance`;
    case 'unusual':
      return seasonText(gate.figures, rule);
    case 'outside-bounds':
    case 'within-bounds': {
      const { current, baseline } = gate.figures;
      const values = `${valueText(current, rule)} compared with ${valueText(baseline, rule)}`;
      return `${values} ${crossingText(gate.passed)} (${boundsText(gate.bounds, rule)})`;
    }
    case 'settled':
    case 'fresh':
    case 'data-late':
    case 'no-data-yet':
    case 'not-a-holiday':
    case 'zero-on-a-holiday':
    case 'holiday':
    case 'enough-volume':
    case 'too-little-volume':
    case 'expected':
    case 'back-to-expected':
    case 'too-variable-to-tell':
    case 'other-direction':
    case 'beyond-rollout':
    case 'explained-by-rollout':
    case 'member-firing':
    case 'member-not-firing':
      return gateText(gate, at);
  }
}

/** Above this p a message explains why it fires anyway. The default `confidence` excludes it. */
const REMARKABLE_P = 0.01;

function chanceText(figures: CountFigures, { history }: Learned, rule: FigureRule): string {
  const { p, pairs } = figures;
  const chance = `${frequencyText(figures, rule)}${shortPastText(figures, history, rule)}`;
  if (p <= REMARKABLE_P) return chance;
  const basis = history === 'enough' ? `, based on ${figure(pairs)} earlier ${rule.window}s` : '';
  return `${chance}${basis}; ${leniencyText(rule)}`;
}

/** "a change this large happens by chance about once in 140 days". */
function frequencyText({ p }: CountFigures, { window }: FigureRule): string {
  return `a change this large happens by chance ${rateText(p, window)}`;
}

/** Why few pairs are available: the series is young, or its history is part of a rollout. */
function shortPastText(
  { knownSinceAt }: CountFigures,
  history: Learned['history'],
  { zone }: FigureRule,
): string {
  if (history === 'enough') return '';
  if (history === 'rollouts')
    return ', estimated from how much other series vary, as its own history is part of a rollout';
  // A service that keeps data for a month looks like a series that began a month ago.
  const beginning =
    knownSinceAt === undefined
      ? ''
      : ` (data begins on ${dateAt(knownSinceAt, zone)}, or the service keeps none from before)`;
  return `, estimated from little history${beginning}`;
}

/** Why a change that is not rare fires with this severity: the rule sets both. */
function leniencyText({ confidence, severity, window }: FigureRule): string {
  const asked = figure(Number((1 / (1 - confidence)).toPrecision(2)));
  return `the rule fires on changes that happen by chance at most once in ${asked} ${window}s (confidence ${shareText(confidence)}), and sends them as ${severity}`;
}

function seasonText({ expected, low, high, larger, remembered }: SeasonFigures, rule: FigureRule): string {
  const [mid, from, to] = [expected, low, high].map((each) => valueText(each, rule));
  const days = `${figure(remembered)} ${remembered === 1 ? 'day' : 'days'}`;
  const rank =
    larger === 0
      ? `no deviation in ${days} was as large`
      : `deviations as large occurred on ${larger} of ${days}`;
  return `${mid} was expected, and ${from} to ${to} is normal for this ${rule.window} of the week; ${rank}`;
}

/** A probability as a frequency: "about once in 140 days". */
function rateText(p: number, grain: string): string {
  if (p < 0.0001) return `less than once in 10,000 ${grain}s`;
  if (p >= 0.5) return `on most ${grain}s`;
  return `about once in ${figure(Number((1 / p).toPrecision(2)))} ${grain}s`;
}

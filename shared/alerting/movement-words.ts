import { levelOf } from './bounds.ts';
import { comparableOf } from './comparable.ts';
import type { Evaluation, Gate } from './evaluation.ts';
import { metricOf } from './metrics.ts';
import type { FigureRule } from './rule.ts';
import { dateAt } from './window.ts';
import { amountText, boundsText, figure, percentText, reachText, valueText } from './wording.ts';

/** From this change on a rise is told in times: "up 1,150 %" says little. */
const LARGE = 4;

/** A change that rounds to nothing: what fired was another bound. */
const NOTHING = 0.0005;

/**
 * What comes after the name of what moved: "down 41 %", "down to 0", "new: from 0 to 120"; under a rule of a level what
 * that is held against: "at 4 events, above 1".
 */
export function movedText(evaluation: Evaluation, rule: FigureRule): string {
  const { current, change } = evaluation;
  const now = current.value ?? 0;
  const level = rule.fire && levelOf(rule.fire, now);
  if (level) {
    const left = level === 'within' ? '' : `, ${level.side} ${valueText(level.bound, rule)}`;
    return `at ${amountText(now, rule)}${left}`;
  }
  if (change === null) return `new: from 0 to ${amountText(now, rule)}`;
  if (Math.abs(change) < NOTHING) return `at ${amountText(now, rule)}`;
  const direction = change < 0 ? 'down' : 'up';
  // Of a ratio "down 2 %" could as well be points.
  if (metricOf(rule).kind === 'ratio')
    return `${direction} from ${valueText(comparableOf(evaluation) ?? 0, rule)} to ${valueText(now, rule)}`;
  if (now === 0) return 'down to 0';
  if (change > LARGE) return `now ${timesText(change, rule)}`;
  return `${direction} ${roundedText(change)}`;
}

/** "410 fewer (-41 %)", "2.1 points lower (-40.4 %)", "100 more (6 times as many)". */
export function differenceText({ difference, change }: Evaluation, rule: FigureRule): string {
  if (difference === null) return 'unknown';
  const isRatio = metricOf(rule).kind === 'ratio';
  const by = isRatio ? `${figure(Math.abs(difference) * 100)} points` : figure(Math.abs(difference));
  const [less, more] = comparativesOf(rule);
  if (difference === 0) return 'none';
  return `${by} ${difference < 0 ? less : more} (${changeText(change, rule)})`;
}

function changeText(change: number | null, rule: FigureRule): string {
  if (change === null) return 'there were none before';
  return change > LARGE ? timesText(change, rule) : percentText(change);
}

function comparativesOf(rule: FigureRule): [less: string, more: string] {
  return metricOf(rule).kind === 'count' ? ['fewer', 'more'] : ['lower', 'higher'];
}

/** "6.4 times as many", of a mean "6.4 times as high". */
function timesText(change: number, rule: FigureRule): string {
  const times = change + 1;
  const rounded = figure(times < 10 ? Math.round(times * 10) / 10 : Math.round(times));
  return `${rounded} times as ${metricOf(rule).kind === 'count' ? 'many' : 'high'}`;
}

/** 0.618 as "62 %"; a fall that is not total is never "100 %". */
function roundedText(change: number): string {
  const size = Math.abs(change);
  if (change < 0 && size > 0.99) return 'more than 99 %';
  return percentText(size < 0.1 ? size : Math.round(size * 100) / 100).slice(1);
}

/**
 * What a message rests on, for somebody without statistics; the exact figures are on the page. "by chance a day differs
 * this much less than once in 10,000 days".
 */
export function surenessText(evaluation: Evaluation, rule: FigureRule): string {
  const said = evaluation.gates.filter(isTest).map((gate) => plainGate(gate, rule));
  return said.join('; ') || 'not tested against chance: it is past what the rule fires at';
}

/** One segment stands out among none. */
function isTest({ gate, figures }: Gate): boolean {
  return gate === 'significance' || gate === 'season' || (gate === 'family' && (figures.tested ?? 0) > 1);
}

/** Why a verdict is what it is, without the words of statistics. */
export function plainReason(reason: string, evaluation: Evaluation | null, rule: FigureRule): string {
  const decisive = evaluation?.gates.find(({ detail }) => detail !== '' && reason.endsWith(detail));
  return decisive ? reason.slice(0, -decisive.detail.length) + plainGate(decisive, rule) : reason;
}

/** Earlier pairs of windows under which the usual spread is a guess. */
const LITTLE_HISTORY = 8;

function plainGate(gate: Gate, rule: FigureRule): string {
  const { passed, detail, figures } = gate;
  switch (gate.gate) {
    case 'significance':
      return chanceText(gate, rule);
    case 'family':
      return passed
        ? `it stands out among ${figures.tested} segments tested`
        : `among ${figures.tested} segments tested one like it comes by chance`;
    case 'season':
      return passed ? seasonText(gate, rule) : detail;
    case 'threshold': {
      const { current = 0, baseline = 0 } = figures;
      const bounds = rule.fire ? ` (${boundsText(rule.fire)})` : '';
      return `${valueText(current, rule)} against ${valueText(baseline, rule)} ${reachText(passed)}${bounds}`;
    }
    case 'settled':
    case 'fresh':
    case 'holiday':
    case 'volume':
    case 'rollout':
    case 'member':
      return detail;
  }
}

/** What is likelier than this is told with why it fires all the same; the default of `confidence` lets none of it pass. */
const REMARKABLE_P = 0.01;

/** Why so few pairs say how much a series varies: it is young, or was part of a roll-out until now. */
function shortPastText(figures: Gate['figures'], rule: FigureRule): string {
  if (figures.pairsInRollouts)
    return ', by how much other series vary, as its own past is part of a roll-out';
  return `, as far as so little history tells${beginningText(figures, rule)}`;
}

/** A service that keeps a month looks like a series that began a month ago. */
function beginningText({ knownSinceAt }: Gate['figures'], { zone }: FigureRule): string {
  if (knownSinceAt === undefined) return '';
  return ` (its figures begin on ${dateAt(knownSinceAt, zone)}, or the service has none from before)`;
}

function chanceText({ passed, figures }: Gate, rule: FigureRule): string {
  const { p = 1, pairs = 0 } = figures;
  const { window } = rule;
  const chance = `${window === 'hour' ? 'an' : 'a'} ${window} differs this much ${oftenText(p, window)}`;
  if (!passed) return `no more than chance: ${chance}`;
  const isShort = pairs < LITTLE_HISTORY;
  const by = `by chance ${chance}${isShort ? shortPastText(figures, rule) : ''}`;
  if (p <= REMARKABLE_P) return by;
  return `${by}${isShort ? '' : `, going by ${figure(pairs)} earlier ${window}s`}; ${leniencyText(rule)}`;
}

/** Why something that is not rare fires, and as severely: by the rule, whatever the odds. */
function leniencyText({ confidence, severity, window }: FigureRule): string {
  const percent = percentText(confidence).replace('+', '');
  const asked = figure(Number((1 / (1 - confidence)).toPrecision(2)));
  return `the rule fires on what comes by chance once in ${asked} ${window}s or less often (confidence ${percent}), with severity ${severity}`;
}

function seasonText({ figures }: Gate, rule: FigureRule): string {
  const { expected = 0, low = 0, high = 0, larger = 0, remembered = 0 } = figures;
  const [mid, from, to] = [expected, low, high].map((each) => valueText(each, rule));
  const days = `${figure(remembered)} ${remembered === 1 ? 'day' : 'days'}`;
  const rank =
    larger === 0 ? `no gap in ${days} was as large` : `as large a gap came on ${larger} of ${days}`;
  return `${mid} was expected, and ${from} to ${to} is usual for this ${rule.window} of the week; ${rank}`;
}

/** A probability as how often that is: "about once in 140 days". */
function oftenText(p: number, grain: string): string {
  if (p < 0.0001) return `less than once in 10,000 ${grain}s`;
  if (p >= 0.5) return `on most ${grain}s`;
  return `about once in ${figure(Number((1 / p).toPrecision(2)))} ${grain}s`;
}

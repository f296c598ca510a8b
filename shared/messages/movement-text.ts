import { comparableOf, type Evaluation } from '../evaluation/evaluation.ts';
import type { Gate, Sum } from '../evaluation/gate.ts';
import { levelOf } from '../rules/bounds.ts';
import type { FigureRule } from '../rules/rule.ts';
import { metricOf } from '../rules/watched-metric.ts';
import { counted } from '../text/counted.ts';
import { quoted } from '../text/quoted.ts';
import {
  amountText,
  figure,
  inSegmentText,
  percentText,
  pointsText,
  printedDifference,
  valueText,
} from './figure-text.ts';
import { gateText } from './gate-text.ts';

/** From this change on a rise is given as a factor: "up 1,150%" is hard to read. */
const LARGE = 4;

/** The first word about a value that was 0 before. */
const NEW = 'new';

/** A change that rounds to 0: another bound fired. */
const NOTHING = 0.0005;

/**
 * The text after the subject: "down 41%", "down to 0", "new, 120 events"; for a rule on the level the value and
 * its bound: "at 4 events, above the bound of 1"; for a rule that compares with the expected value "41% below expected".
 */
export function movedText(evaluation: Evaluation, rule: FigureRule): string {
  const { current, change, surprise } = evaluation;
  const now = current.value ?? 0;
  if (surprise?.sum && evaluation.verdict === 'breached') return sumMovedText(surprise.sum, rule);
  const level = rule.fire && levelOf(rule.fire, now);
  if (level) {
    const left = level === 'within' ? '' : `, ${level.side} the bound of ${valueText(level.bound, rule)}`;
    return `at ${amountText(now, rule)}${left}`;
  }
  if (change === null) return `${NEW}, ${amountText(now, rule)}`;
  if (Math.abs(change) < NOTHING) return `at ${amountText(now, rule)}`;
  const direction = change < 0 ? 'down' : 'up';
  const { origin } = evaluation.baseline;
  const isExpected = origin.of === 'model';
  // For a ratio, "down 2%" could mean points.
  if (metricOf(rule).kind === 'ratio') {
    const before = valueText(comparableOf(evaluation) ?? 0, rule);
    if (isExpected) return `at ${valueText(now, rule)}, ${before} expected`;
    if (origin.of === 'segments') return `at ${valueText(now, rule)}, ${before} ${inSegmentText(origin)}`;
    return `${direction} from ${before} to ${valueText(now, rule)}`;
  }
  if (now === 0) return 'down to 0';
  const other = origin.of === 'segments' ? (origin.segment ?? 'all other segments') : undefined;
  if (change > LARGE) return `at ${timesOf(change)} times the ${levelText(isExpected, other)}`;
  if (isExpected || other !== undefined)
    return `${roundedText(change)} ${change < 0 ? 'below' : 'above'} ${other === undefined ? 'expected' : quoted(other)}`;
  return `${direction} ${roundedText(change)}`;
}

/** "20% below expected over 24 hours": what fired is the sum, not the last window. */
function sumMovedText({ windows, value, expected }: Sum, rule: FigureRule): string {
  const span = counted(windows, rule.window);
  if (metricOf(rule).kind === 'ratio')
    return `at ${valueText(value, rule)} over ${span}, ${valueText(expected, rule)} expected`;
  const side = value < expected ? 'below' : 'above';
  return `${roundedText(value / expected - 1)} ${side} expected over ${span}`;
}

function levelText(isExpected: boolean, other: string | undefined): string {
  if (other !== undefined) return `level of ${quoted(other)}`;
  return isExpected ? 'expected level' : 'level before';
}

/** `movedText` after its subject: "Purchases down 41%", "Purchases in version 5.2.0: new, 120 events". */
export function withMovement(
  subject: string,
  { evaluation, rule }: { evaluation: Evaluation; rule: FigureRule },
): string {
  const moved = movedText(evaluation, rule);
  return `${subject}${moved.startsWith(NEW) ? ':' : ''} ${moved}`;
}

/** "410 fewer (-41%)", "2.1 percentage points lower (-40.4%)", "3.20 EUR lower (-10%)", "100 more (6 times as many)". */
export function differenceText(evaluation: Evaluation, rule: FigureRule): string {
  const { difference, change } = evaluation;
  if (difference === null) return 'unknown';
  if (difference === 0) return 'none';
  const by = amountOfDifference(evaluation, difference, rule);
  const [less, more] = metricOf(rule).kind === 'count' ? ['fewer', 'more'] : ['lower', 'higher'];
  return `${by} ${difference < 0 ? less : more} (${changeText(change, rule)})`;
}

/** The difference of the figures as they are printed, unless they round to the same. */
function amountOfDifference(evaluation: Evaluation, difference: number, rule: FigureRule): string {
  const { kind, unit } = metricOf(rule);
  const values = [evaluation.current.value, comparableOf(evaluation)];
  const [now = '0', before = '0'] = values.map((value) => valueText(value ?? 0, rule));
  const isSame = now === before;
  if (kind === 'ratio')
    return isSame ? pointsText(Math.abs(difference)) : `${printedDifference(now, before)} percentage points`;
  const amount = isSame ? figure(Math.abs(difference)) : printedDifference(now, before);
  return kind === 'count' ? amount : `${amount} ${unit}`;
}

function changeText(change: number | null, rule: FigureRule): string {
  if (change === null) return 'there were none before';
  return change > LARGE ? timesText(change, rule) : percentText(change);
}

/** "6.4 times as many", of a mean "6.4 times as high". */
function timesText(change: number, rule: FigureRule): string {
  return `${timesOf(change)} times as ${metricOf(rule).kind === 'count' ? 'many' : 'high'}`;
}

function timesOf(change: number): string {
  const times = change + 1;
  return figure(times < 10 ? Math.round(times * 10) / 10 : Math.round(times));
}

/** 0.618 as "62%". A partial fall is never "100%". */
function roundedText(change: number): string {
  const size = Math.abs(change);
  if (change < 0 && size > 0.99) return 'more than 99%';
  return percentText(size < 0.1 ? size : Math.round(size * 100) / 100).slice(1);
}

/** The evidence of a message: how often such a change happens by chance, and what is normal. */
export function surenessText(evaluation: Evaluation, rule: FigureRule): string {
  const texts = evaluation.gates.filter(isTest).map((gate) => gateText(gate, rule.zone, rule));
  return texts.join('; ') || 'not tested for significance: it crosses the threshold';
}

/** A single segment has no family to stand out from. */
function isTest(gate: Gate): boolean {
  if (gate.gate === 'family') return gate.figures.tested > 1;
  return gate.gate === 'significance' || gate.gate === 'season';
}

import type { Archive } from '../../local/replay/archive.ts';
import { replay } from '../../local/replay/replay.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import { comparableOf } from '../../shared/evaluation/comparable-length.ts';
import type { Evaluation } from '../../shared/evaluation/evaluation.ts';
import type { FigureRule } from '../../shared/rules/rule.ts';
import { canonical } from '../../shared/text/content-hash.ts';
import type { Window } from '../../shared/time/window.ts';
import type { Label } from '../backtest/label.ts';
import { Ledger } from '../backtest/message-log.ts';
import { type RuleStatistics, statisticsOf } from '../backtest/statistics.ts';
import { withScaledBounds } from './scaled-bounds.ts';
import { minimumFor } from './suggested-minimum.ts';

/** What the rule would have done with its bounds scaled by `factor`. */
export interface Trial {
  factor: number;
  rule: FigureRule;
  statistics: RuleStatistics;
  /**
   * Sample sizes of the baselines of its alerts and of all windows: sessions or users of a mean, else the
   * figure.
   */
  baselines: { fired: number[]; evaluated: number[] };
}

export interface Suggestion {
  /** Narrowest to widest, with distinct bounds. */
  trials: Trial[];
  /** With the current bounds. */
  now: Trial;
  /** The trial nearest to the requested rate; of equals, the one nearest to the current bounds. */
  chosen: Trial;
  /** The current bounds with a minimum, where small numbers cause the alerts. */
  withMinimum: Trial | undefined;
}

export interface SuggestRequest {
  rule: FigureRule;
  routes: RuleSet['routes'];
  archive: Archive;
  span: Window;
  labels: Label[] | undefined;
  /** Alerts of the rule and all its segments in 30 days. */
  alertsPerMonth: number;
  signal?: AbortSignal;
  onProgress?: (done: number, total: number) => void;
}

/** All are tried: wider bounds can give more alerts, as a long alert splits into several. */
const GRID = [0.25, 0.35, 0.5, 0.7, 1, 1.4, 2, 2.8, 4];

/** Trials between two bounds of the grid. */
const REFINEMENTS = 4;

/** Tries bounds on the past: on a grid, then between those around the requested rate. */
export async function suggestBounds(request: SuggestRequest): Promise<Suggestion> {
  const { rule, alertsPerMonth, onProgress } = request;
  const trials: Trial[] = [];
  const total = GRID.length + REFINEMENTS + 1;
  let done = 0;
  const attempt = async (factor: number) => {
    const tried = withScaledBounds(rule, factor);
    onProgress?.(++done, total);
    if (trials.some((each) => isSame(each.rule, tried))) return false;
    trials.push(await trialOf(tried, factor, request));
    trials.sort((a, b) => a.factor - b.factor);
    return true;
  };
  for (const factor of GRID) await attempt(factor);
  for (let i = 0; i < REFINEMENTS; i++) {
    const between = factorBetween(trials, alertsPerMonth);
    if (between === undefined || !(await attempt(between))) break;
  }
  const now = trials.find(({ factor }) => factor === 1);
  const chosen = nearest(trials, alertsPerMonth);
  if (!now || !chosen) throw new RangeError('the bounds as they are are always tried');
  return { trials, now, chosen, withMinimum: await minimumTrial(now, request) };
}

function isSame(a: FigureRule, b: FigureRule): boolean {
  return canonical(a.fire) === canonical(b.fire);
}

/** Between the widest bounds above the requested rate and the next. */
function factorBetween(trials: Trial[], wished: number): number | undefined {
  const i = trials.findLastIndex(({ statistics }) => statistics.alertsPerMonth > wished);
  const [above, below] = [trials[i], trials[i + 1]];
  return above && below ? Math.sqrt(above.factor * below.factor) : undefined;
}

/** Compares rates as ratios; very small ones are equal. */
const NEXT_TO_NOTHING = 0.1;

function nearest(trials: Trial[], wished: number): Trial | undefined {
  const distance = ({ statistics }: Trial) =>
    Math.abs(Math.log((statistics.alertsPerMonth + NEXT_TO_NOTHING) / (wished + NEXT_TO_NOTHING)));
  const step = ({ factor }: Trial) => Math.abs(Math.log(factor));
  return trials.toSorted((a, b) => distance(a) - distance(b) || step(a) - step(b))[0];
}

async function minimumTrial(now: Trial, request: SuggestRequest): Promise<Trial | undefined> {
  const { fired, evaluated } = now.baselines;
  const baseline = minimumFor(fired, evaluated);
  if (baseline === undefined || baseline <= now.rule.minimum.baseline) return undefined;
  return trialOf({ ...now.rule, minimum: { ...now.rule.minimum, baseline } }, 1, request);
}

async function trialOf(rule: FigureRule, factor: number, request: SuggestRequest): Promise<Trial> {
  const { routes, archive, span, labels, signal } = request;
  const ruleSet = { version: '', rules: [rule], routes };
  const ledger = new Ledger(ruleSet.rules);
  const sizes = new Map<string, number>();
  const options = { ruleSet, figures: archive, from: span.startAt, to: span.endAt };
  for await (const event of replay({ ...options, ...(signal && { signal }) })) {
    ledger.add(event);
    if (event.kind !== 'evaluated') continue;
    const size = sizeOf(event.evaluation);
    if (size !== null) sizes.set(keyOf(event.segment, event.evaluation.current.window), size);
  }
  const [statistics] = statisticsOf(ledger, { ruleSet, span, labels }).rules;
  if (!statistics) throw new RangeError('one rule was replayed');
  const fired = statistics.fires.flatMap(({ segment, window }) => sizes.get(keyOf(segment, window)) ?? []);
  return { factor, rule, statistics, baselines: { fired, evaluated: [...sizes.values()] } };
}

function sizeOf(evaluation: Evaluation): number | null {
  return evaluation.baseline.weight ?? comparableOf(evaluation);
}

function keyOf(segment: string | null, { endAt }: Window): string {
  return JSON.stringify([segment, endAt]);
}

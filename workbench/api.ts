import { type Figures, figuresOf } from '../local/figures.ts';
import type { RuleSet } from '../shared/deployments/rule-store.ts';
import type { FigureRule, Rule } from '../shared/rules/rule.ts';
import { type Clock, systemClock } from '../shared/runtime/clock.ts';
import { ConfigError } from '../shared/runtime/errors.ts';
import type { Window } from '../shared/time/window.ts';
import type { BacktestReport } from './backtest/backtest.ts';
import { backtest } from './backtest/backtest.ts';
import type { Row as Point } from './series/buckets.ts';
import { evaluateSeries, type Outcome, type SeriesPlan } from './series/evaluate-series.ts';

// The module `deltawatch` of the package.

export { loadRules } from '../shared/rule-files/yaml-rule-files.ts';
export { ConfigError, InvalidRequestError, UpstreamError } from '../shared/runtime/errors.ts';
export type { BacktestReport, FigureRule, Figures, Outcome, Point, Rule, RuleSet, Window };

export type SeriesOptions = Omit<SeriesPlan, 'rule'>;

/**
 * Evaluates a rule on each window of a series, as `deltawatch evaluate` does. Points are in order of time. Points of a
 * window are added up, or averaged if the metric of the rule is a mean. Throws `ConfigError` for a rule that watches
 * other rules.
 */
export function evaluate(
  rule: Rule,
  points: Iterable<Point> | AsyncIterable<Point>,
  options: SeriesOptions = {},
): AsyncGenerator<Outcome> {
  if (rule.members)
    throw new ConfigError(`the rule ${rule.id} watches other rules, so it cannot be evaluated on one series`);
  return evaluateSeries(points, { rule, ...options });
}

/** Where figures come from: a data folder of `deltawatch data import`, or a data access service. */
export type FigureSource = { data: string } | { service: string; apiKey: string };

/** Opens the figures. Close them after use. */
export function openFigures(source: FigureSource, clock: Clock = systemClock): Figures {
  if ('data' in source) return figuresOf({ kind: 'folder', dataDir: source.data }, clock);
  const { service: url, apiKey } = source;
  return figuresOf({ kind: 'service', url, apiKey, describe: `the service at ${new URL(url).host}` }, clock);
}

export interface BacktestOptions {
  /** Runs in `(from, to]` are replayed, in epoch milliseconds. */
  from: number;
  to: number;
  /** Rules to compare with, on the same figures. */
  base?: RuleSet;
  signal?: AbortSignal;
}

/** Replays rules on past figures: what each would have notified. Throws `UpstreamError` if figures cannot be read. */
export function runBacktest(
  ruleSet: RuleSet,
  figures: Figures,
  { from, to, ...options }: BacktestOptions,
): Promise<BacktestReport> {
  const { sourceFor } = figures;
  const span = { startAt: from, endAt: to };
  return backtest({ ruleSet, sourceFor, span, clock: systemClock, ...options });
}

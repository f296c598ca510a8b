import type { Archive } from '../../local/replay/archive.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import type { FigureRule } from '../../shared/rules/rule.ts';
import { canonical } from '../../shared/text/content-hash.ts';
import { counted } from '../../shared/text/counted.ts';
import type { Window } from '../../shared/time/window.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import { replayed } from '../backtest/backtest.ts';
import { withScaledBounds } from './scaled-bounds.ts';

/** What the rule would have done with its bounds scaled by `factor`. */
export type Trial = Awaited<ReturnType<typeof trialOf>>;
/** Bounds tried on the past. */
export type Suggestion = Awaited<ReturnType<typeof suggestBounds>>;

export interface SuggestRequest {
  rule: FigureRule;
  routes: RuleSet['routes'];
  archive: Archive;
  span: Window;
  /** Alerts of the rule and all its segments in 30 days. */
  alertsPerMonth: number;
  signal?: AbortSignal | undefined;
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/** All are tried: wider bounds can give more alerts, as a long alert splits into several. */
const FACTORS = [0.25, 0.35, 0.5, 0.6, 0.7, 0.85, 1, 1.2, 1.4, 1.7, 2, 2.8, 4];

/** Tries bounds on the past. */
export async function suggestBounds(request: SuggestRequest) {
  const { rule, alertsPerMonth: wished, onProgress } = request;
  const trials: Trial[] = [];
  for (const [i, factor] of FACTORS.entries()) {
    const tried = withScaledBounds(rule, factor);
    // The current bounds replace equal ones.
    const same = trials.findIndex(({ fire }) => canonical(fire) === canonical(tried.fire));
    if (same < 0) trials.push(await trialOf(tried, factor, request));
    else if (factor === 1) trials.splice(same, 1, await trialOf(tried, factor, request));
    onProgress?.(i + 1, FACTORS.length);
  }
  const now = trials.find(({ factor }) => factor === 1);
  const suggested = nearest(trials, wished);
  if (!now || !suggested) throw new RangeError('the current bounds are always tried');
  return { rule, trials, now, suggested, notes: notesOn(suggested, request) };
}

/** Compares rates as ratios; very small ones are equal. */
const NEXT_TO_NOTHING = 0.1;

/** The trial nearest to the requested rate; of equals, the one nearest to the current bounds. */
function nearest(trials: Trial[], wished: number): Trial | undefined {
  const distance = ({ alertsPerMonth }: Trial) =>
    Math.abs(Math.log((alertsPerMonth + NEXT_TO_NOTHING) / (wished + NEXT_TO_NOTHING)));
  const step = ({ factor }: Trial) => Math.abs(Math.log(factor));
  return trials.toSorted((a, b) => distance(a) - distance(b) || step(a) - step(b))[0];
}

async function trialOf(rule: FigureRule, factor: number, request: SuggestRequest) {
  const { routes, archive: figures, span, signal } = request;
  const ruleSet = { version: '', rules: [rule], routes };
  const report = await replayed(ruleSet, { figures, span, signal });
  const { alerts, alertsPerMonth } = report;
  return { factor, fire: rule.fire, recover: rule.recover, alerts, alertsPerMonth };
}

/** Fewer alerts say little about their rate. */
const FEW = 5;

/** What limits the suggestion, one sentence each. */
function notesOn({ alerts }: Trial, { span }: SuggestRequest): string[] {
  const days = counted(Math.round((span.endAt - span.startAt) / DAY_MS), 'day');
  return [
    ...(alerts < FEW ? [`${counted(alerts, 'alert')} in ${days}: too few for a precise rate`] : []),
    'past data is complete: it includes uploads that arrived late',
  ];
}

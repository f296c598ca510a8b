import type { Archive } from '../../local/replay/archive.ts';
import type { ReplayEvent } from '../../local/replay/replayed.ts';
import { MATCH_DAYS } from '../../shared/alerts/matches-nothing.ts';
import type { MetricSource } from '../../shared/readings/metric-source.ts';
import { metricOf } from '../../shared/rules/metrics.ts';
import type { FigureRule, Rule } from '../../shared/rules/rule.ts';
import { dateAt, type Window } from '../../shared/time/window.ts';
import { knownValues } from '../live-check/known-values.ts';
import { causeOf, missingGroup, missingName } from '../live-check/mismatch-causes.ts';
import { valuesFor } from '../live-check/unmatched-rules.ts';
import { listed } from './notes.ts';

/** Attributes that are queried for existing names: wrong rules mostly share a wrong name. */
const MOST_QUESTIONS = 10;

/** The evaluated span of a rule, and the end of its last window with a value. */
interface Watched {
  fromAt: number;
  throughAt: number;
  valueAt: number;
}

/** A rule without a value at the end of the replay, and why, if the source knows. */
export interface UnmatchedRule {
  rule: FigureRule;
  sinceAt: number;
  why: string;
}

/** What is known about the data of apps. */
export type Reach = Pick<Archive, 'newestDataAt' | 'beginsAt'>;

/** Follows a replay of `span` and finds rules that match nothing. */
export class Matches {
  readonly #rules: ReadonlyMap<string, Rule>;
  readonly #span: Window;
  readonly #reach: Reach;
  readonly #watched = new Map<string, Watched>();

  constructor(rules: readonly Rule[], span: Window, reach: Reach) {
    this.#rules = new Map(rules.map((rule) => [rule.id, rule]));
    this.#span = span;
    this.#reach = reach;
  }

  add(event: ReplayEvent): void {
    if (event.kind !== 'evaluated') return;
    const rule = this.#rules.get(event.ruleId);
    if (!rule || rule.members) return;
    const { current } = event.evaluation;
    const { window } = current;
    const known = this.#watched.get(rule.id) ?? {
      ...{ fromAt: window.startAt, throughAt: window.endAt, valueAt: -Infinity },
    };
    const isMean = metricOf(rule).kind === 'mean';
    const hasValue = event.segment !== '' && current.value !== null && (isMean || current.value > 0);
    this.#watched.set(rule.id, {
      fromAt: Math.min(known.fromAt, window.startAt),
      throughAt: Math.max(known.throughAt, window.endAt),
      valueAt: hasValue ? Math.max(known.valueAt, window.endAt) : known.valueAt,
    });
  }

  /**
   * Rules without a value in the last 30 days, or in fewer days where one of their names does not exist: a
   * rare event may be absent for days. Queries the source only for these rules, and skips apps without data.
   */
  async unmatched(sourceFor: (app: string) => MetricSource): Promise<UnmatchedRule[]> {
    const found: UnmatchedRule[] = [];
    const all = this.#watchedByRule();
    const throughAt = Math.max(...all.map(([, each]) => each.throughAt));
    const valuesOf = knownValues(sourceFor, throughAt, MOST_QUESTIONS);
    for (const [rule, watched] of all) {
      const sinceAt = Math.max(watched.fromAt, watched.valueAt);
      if (sinceAt >= watched.throughAt) continue;
      if (this.#reach.newestDataAt(rule.app, this.#span.endAt) === null) continue;
      const isLong = watched.throughAt - sinceAt >= MATCH_DAYS * 86_400_000;
      if (!isLong && watched.valueAt > -Infinity) continue;
      const values = await valuesFor(rule, valuesOf);
      const cause = isLong
        ? causeOf(rule, values)
        : (missingName(rule, values) ?? missingGroup(rule, values));
      if (cause) found.push({ rule, sinceAt, why: cause.words });
    }
    return found;
  }

  /** Includes rules by segment that had no segment, and so no series. */
  #watchedByRule(): [FigureRule, Watched][] {
    const { startAt, endAt: throughAt } = this.#span;
    const ids = new Set([...this.#watched.keys(), ...this.#rules.keys()]);
    return [...ids].flatMap((id): [FigureRule, Watched][] => {
      const rule = this.#rules.get(id);
      if (!rule || rule.members) return [];
      const fromAt = this.#reach.beginsAt(rule.app) ?? startAt;
      return [[rule, this.#watched.get(id) ?? { fromAt, throughAt, valueAt: -Infinity }]];
    });
  }
}

/** A sentence for all rules that match nothing since the same day for the same reason. */
export function unmatchedNotes(unmatched: readonly UnmatchedRule[]): string[] {
  const notes = unmatched.map(({ rule, sinceAt, why }) => ({
    id: rule.id,
    says: `matched nothing since ${dateAt(sinceAt, rule.zone)}: ${why}${why.endsWith('?') ? '' : '.'}`,
  }));
  return [...Map.groupBy(notes, ({ says }) => says)].map(
    ([says, those]) => `${listed(those.map(({ id }) => id))} ${those.length === 1 ? 'has' : 'have'} ${says}`,
  );
}

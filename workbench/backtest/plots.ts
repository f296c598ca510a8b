import type { ReplayEvent } from '../../local/replay/replayed.ts';
import { OTHERS } from '../../shared/contract/grouping.ts';
import type { Evaluation } from '../../shared/evaluation/evaluation.ts';
import { bandOf } from '../../shared/evaluation/expected-limits.ts';
import { type Chart, type ChartPoint, subjectOf } from '../../shared/messages/chart.ts';
import type { FigureRule, Rule } from '../../shared/rules/rule.ts';
import type { Window } from '../../shared/time/window.ts';
import type { Fire } from './fires.ts';
import { concerns } from './incident-scope.ts';
import type { Label } from './label.ts';

/** The evaluated figures of every series, for charts. */
export class Plots {
  readonly #rules: Map<string, FigureRule>;
  readonly #series = new Map<string, Map<string | null, Map<number, Drawn>>>();

  constructor(rules: Rule[]) {
    this.#rules = new Map(rules.flatMap((rule) => (rule.members ? [] : [[rule.id, rule]])));
  }

  add(event: ReplayEvent): void {
    const rule = event.kind === 'evaluated' && this.#rules.get(event.ruleId);
    if (!rule || event.kind !== 'evaluated') return;
    const { segment, evaluation } = event;
    const ofRule = this.#series.get(rule.id) ?? new Map<string | null, Map<number, Drawn>>();
    this.#series.set(rule.id, ofRule);
    const drawn = ofRule.get(segment) ?? new Map<number, Drawn>();
    ofRule.set(segment, drawn.set(evaluation.current.window.endAt, drawnOf(rule, evaluation)));
  }

  /** The segments of a rule: most fires first, then largest figures. */
  segmentsOf(ruleId: string, fires: Fire[]): (string | null)[] {
    const segments = [...(this.#series.get(ruleId)?.keys() ?? [])];
    const weighed = segments.map((segment) => ({
      segment,
      fires: fires.filter((fire) => fire.segment === segment).length,
      size: Math.max(0, ...this.#drawnOf(ruleId, segment).map(({ point }) => point.value ?? 0)),
    }));
    return weighed.toSorted((a, b) => b.fires - a.fires || b.size - a.size).map(({ segment }) => segment);
  }

  /** `undefined` where the series has no figures. */
  chartOf(
    ruleId: string,
    segment: string | null,
    { fires, labels }: { fires: Fire[]; labels: Label[] },
  ): Chart | undefined {
    const rule = this.#rules.get(ruleId);
    const all = this.#drawnOf(ruleId, segment);
    const begin = all.findIndex(({ point }) => point.value !== null);
    const [first, ...others] = begin < 0 ? [] : all.slice(begin);
    if (!rule || !first) return undefined;
    const segments = [...(this.#series.get(ruleId)?.keys() ?? [])];
    const watched = new Set(segments.flatMap((each) => (each === OTHERS ? [] : (each ?? []))));
    return {
      ...subjectOf(rule, segment),
      points: [first.point, ...others.map(({ point }) => point)],
      breached: [first, ...others].flatMap(({ isBreached, point }) => (isBreached ? [point.window] : [])),
      incidents: fires.filter((fire) => fire.segment === segment).map(openSpan),
      labelled: labels.filter(({ about }) => concerns(about, { rule, segment, watched })),
    };
  }

  /** In order of time. */
  #drawnOf(ruleId: string, segment: string | null): Drawn[] {
    return [...(this.#series.get(ruleId)?.get(segment)?.values() ?? [])].toSorted(
      (a, b) => a.point.window.startAt - b.point.window.startAt,
    );
  }
}

/** What is kept of a window. */
interface Drawn {
  point: ChartPoint;
  isBreached: boolean;
}

function drawnOf(rule: FigureRule, evaluation: Evaluation): Drawn {
  const { verdict } = evaluation;
  const { window, value } = evaluation.current;
  const band = bandOf(rule, evaluation);
  return { point: { window, value, band }, isBreached: verdict === 'breached' };
}

function openSpan({ window, openThroughAt }: Fire): Window {
  return { startAt: window.startAt, endAt: openThroughAt };
}

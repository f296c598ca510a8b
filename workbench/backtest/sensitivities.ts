import { OTHERS } from '../../shared/contract/grouping.ts';
import { type Sensitivity, sensitivityOf } from '../../shared/evaluation/sensitivity.ts';
import { sensitivityText } from '../../shared/messages/sensitivity-text.ts';
import type { FigureRule, Rule } from '../../shared/rules/rule.ts';
import { quoted } from '../../shared/text/quoted.ts';
import type { Window } from '../../shared/time/window.ts';
import type { SeriesLog } from './fires.ts';

/** The smallest fall and rise that one series of a rule would fire on. */
export interface SeriesSensitivity {
  segment: string | null;
  sensitivity: Sensitivity;
}

/** The sensitivity of each series at the end of the replay of `span`, the largest first. */
export function sensitivitiesOf(rule: Rule, series: readonly SeriesLog[], span: Window): SeriesSensitivity[] {
  if (rule.members) return [];
  const known = series.flatMap(({ segment, shown, first }) => {
    // A series that was there before the replay may have begun at any time.
    const hasBegun = first?.band === null && first.window.startAt >= span.startAt;
    const sensitivity = sensitivityOf(rule, shown, hasBegun ? first.window.startAt : null);
    return sensitivity && segment !== OTHERS ? [{ segment, sensitivity }] : [];
  });
  return known.toSorted((a, b) => expectedOf(b) - expectedOf(a));
}

function expectedOf({ sensitivity }: SeriesSensitivity): number {
  return sensitivity.kind === 'known' ? sensitivity.expected : 0;
}

/** What would fire, in one sentence: of the largest segment, and how many of the others cannot fire. */
export function sensitivitiesText(rule: FigureRule, found: readonly SeriesSensitivity[]): string | undefined {
  const [largest] = found;
  if (!largest) return undefined;
  const text = sensitivityText(rule, largest.sensitivity);
  if (largest.segment === null) return text;
  const sides = (['rise', 'fall'] as const).map((side) => ({ side, without: withoutIn(found, side) }));
  const rest = [...Map.groupBy(sides, ({ without }) => without)].flatMap(([without, same]) =>
    without > 0
      ? [`a ${same.map(({ side }) => side).join(' or ')} cannot in ${without} of ${found.length} segments`]
      : [],
  );
  return [`${quoted(largest.segment)} (largest): ${text}`, ...rest].join('; ');
}

function withoutIn(found: readonly SeriesSensitivity[], side: 'fall' | 'rise'): number {
  return found.filter(({ sensitivity }) => sensitivity.kind === 'known' && isNever(sensitivity[side])).length;
}

function isNever(reach: Extract<Sensitivity, { kind: 'known' }>['fall']): boolean {
  return reach !== null && 'never' in reach;
}

/** Codes and figures. Times are ISO 8601 in UTC; `null` where a side cannot fire, or is not watched. */
export function sensitivityJson({ segment, sensitivity }: SeriesSensitivity) {
  const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  if (sensitivity.kind === 'too-young') return { segment, verdictsFrom: iso(sensitivity.verdictsFromAt) };
  const { expected, windows, settlesAt, isTested } = sensitivity;
  const side = (reach: typeof sensitivity.fall) => ({
    from: reach && 'from' in reach ? short(reach.from) : null,
    never: reach && 'never' in reach ? reach.never : null,
  });
  const [fall, rise] = [side(sensitivity.fall), side(sensitivity.rise)];
  return {
    ...{
      segment,
      expected: short(expected),
      fallFrom: fall.from,
      fallNever: fall.never,
      riseFrom: rise.from,
      riseNever: rise.never,
    },
    ...{ windows, settlesAt: iso(settlesAt), ifSignificant: isTested },
  };
}

/** Without the noise of binary fractions, for shares too. */
function short(value: number): number {
  return Number(value.toPrecision(6));
}

import type { NeverReason, Reach, Sensitivity } from '../evaluation/sensitivity.ts';
import { metricOf } from '../rules/metrics.ts';
import type { FigureRule } from '../rules/rule.ts';
import { dateAt } from '../time/window.ts';
import { amountText, figure, percentText, spanText, valueText } from './figure-text.ts';

type Known = Extract<Sensitivity, { kind: 'known' }>;

/** From this factor on, a rise reads better as a factor than as a percentage. */
const FACTOR = 2;

/** "with 4 an hour expected, a rise fires from x3.1; a fall cannot fire: numbers this small vary by chance". */
export function sensitivityText(rule: FigureRule, sensitivity: Sensitivity): string {
  if (sensitivity.kind === 'too-young') {
    const needed = rule.window === 'day' ? 'two weeks of days' : 'two days';
    return `no verdict before ${dateAt(sensitivity.verdictsFromAt, rule.zone)}, when ${needed} are known`;
  }
  return [
    `with ${rateText(sensitivity, rule)} expected, ${sidesText(sensitivity, rule)}`,
    ...partlyText(sensitivity),
    ...(sensitivity.settlesAt === null
      ? []
      : [`limits are wider until ${dateAt(sensitivity.settlesAt, rule.zone)}`]),
  ].join('; ');
}

/** "a rise fires from x3.1 and a fall from -62%", "a rise fires from x3.1; a fall cannot fire: numbers this small vary by chance". */
function sidesText({ expected, fall, rise, isTested }: Known, rule: FigureRule): string {
  const sides = [
    ...(rise ? [{ name: 'a rise', reach: rise, textOf: riseText }] : []),
    ...(fall ? [{ name: 'a fall', reach: fall, textOf: fallText }] : []),
  ];
  const fires = sides.flatMap(({ name, reach, textOf }) =>
    'from' in reach ? [{ name, limit: textOf(reach.from, expected, rule) }] : [],
  );
  const never = Map.groupBy(
    sides.flatMap(({ name, reach }) => ('never' in reach ? [{ name, reason: reach.never }] : [])),
    ({ reason }) => reason,
  );
  const nevers = [...never].map(([reason, names]) => {
    const who = names.map(({ name }) => name).join(' and ');
    return `${who} cannot fire: ${NEVER[reason]}`;
  });
  const limits = fires.map(({ name, limit }, i) => `${name}${i === 0 ? ' fires' : ''} ${limit}`);
  const condition = isTested ? ', if significant' : '';
  return [...(limits.length > 0 ? [`${limits.join(' and ')}${condition}`] : []), ...nevers].join('; ');
}

const NEVER: Record<NeverReason, string> = {
  'too-few': 'numbers this small vary by chance',
  'too-variable': 'the series varies too much',
  bounds: 'the bounds of the rule are out of reach',
  'below-minimum': 'this is below the minimum of the rule',
};

/** "from x3.1", "from +48%"; "above 10" if the expected value is 0 or beyond the limit itself. */
function riseText(from: number, expected: number, rule: FigureRule): string {
  if (expected === 0 || from <= expected) return `above ${valueText(from, rule)}`;
  const factor = from / expected;
  return `from ${factor < FACTOR ? percentText(factor - 1) : `x${figure(factor)}`}`;
}

function fallText(from: number, expected: number, rule: FigureRule): string {
  return from < expected ? `from ${percentText(from / expected - 1)}` : `below ${valueText(from, rule)}`;
}

/** "4 an hour", "4 in 10 minutes", "3.1%". */
function rateText({ expected, window }: Known, rule: FigureRule): string {
  if (metricOf(rule).kind !== 'count') return amountText(expected, rule);
  const ms = window.endAt - window.startAt;
  if (rule.window === 'hour' && ms < 3_600_000) return `${figure(expected)} in ${spanText(ms)}`;
  return `${figure(expected)} ${rule.window === 'hour' ? 'an' : 'a'} ${rule.window}`;
}

/** "a fall cannot in 9 of 24 windows", if it can in the typical one. */
function partlyText({ fall, rise, windows }: Known): string[] {
  const partly = (name: string, reach: Reach | null, without: number) =>
    reach && 'from' in reach && without > 0
      ? [`a ${name} cannot in ${without} of ${windows.known} windows`]
      : [];
  return [...partly('rise', rise, windows.withoutRise), ...partly('fall', fall, windows.withoutFall)];
}

import type { Alert } from '../../shared/alerts/alert.ts';
import type { Evaluation } from '../../shared/evaluation/evaluation.ts';
import { amountText } from '../../shared/messages/figure-text.ts';
import type { Reading } from '../../shared/readings/reading.ts';
import { meaningOf } from '../../shared/readings/series.ts';
import type { FigureRule } from '../../shared/rules/rule.ts';
import type { Again, RawReading } from './explanation.ts';

/** Smaller differences come from the order of addition. */
const ROUNDING = 1e-9;

/** Whether `again` equals the stored verdict; otherwise the differences and their possible causes. */
export function driftOf(
  kept: Evaluation,
  again: Evaluation | undefined,
  about: { alert: Alert; rule: FigureRule; readings: RawReading[] },
): Again {
  const { alert, rule } = about;
  if (endedBy(alert, kept))
    return {
      kind: 'unknown',
      reason: 'the alert ended with this window, and its frozen baseline is not kept',
    };
  if (!again) return { kind: 'unknown', reason: 'its readings are no longer stored' };
  const differences = differencesOf(kept, again, rule);
  if (differences.length === 0) return { kind: 'same' };
  return { kind: 'differs', verdict: again.verdict, differences, causes: causesOf(kept, about) };
}

/** The same for a window without stored readings. */
export function verdictDrift({ recent }: Alert, again: Evaluation): Again {
  const known = recent.find(({ endAt }) => endAt === again.window.endAt);
  if (!known) return { kind: 'unknown', reason: 'no verdict on this window is stored' };
  if (known.verdict === 'held' || known.verdict === again.verdict) return { kind: 'same' };
  const { verdict } = again;
  return { kind: 'differs', verdict, differences: [`verdict ${known.verdict} -> ${verdict}`], causes: [] };
}

/** A firing alert compares with a frozen baseline, which is deleted when it ends. */
function endedBy({ fired, state, stateSinceAt }: Alert, { window, recovered }: Evaluation): boolean {
  return fired === null && state === 'normal' && stateSinceAt === window.endAt && recovered;
}

function differencesOf(kept: Evaluation, again: Evaluation, rule: FigureRule): string[] {
  const amount = (name: string, { value: a }: Reading, { value: b }: Reading): string[] =>
    isSame(a, b) ? [] : [`${name} ${amountText(a, rule)} -> ${amountText(b, rule)}`];
  const gates = kept.gates.flatMap(({ gate, passed }) => {
    const now = again.gates.find((each) => each.gate === gate);
    if (now?.passed === passed) return [];
    return [`${gate} ${said(passed)} -> ${now ? said(now.passed) : 'not taken'}`];
  });
  const added = again.gates
    .filter(({ gate }) => !kept.gates.some((each) => each.gate === gate))
    .map(({ gate, passed }) => `${gate} not evaluated -> ${said(passed)}`);
  return [
    ...(kept.verdict === again.verdict ? [] : [`verdict ${kept.verdict} -> ${again.verdict}`]),
    ...amount('current', kept.current, again.current),
    ...amount('baseline', kept.baseline, again.baseline),
    ...gates,
    ...added,
  ];
}

const said = (passed: boolean): string => (passed ? 'passed' : 'failed');

function isSame(a: number | null, b: number | null): boolean {
  if (a === null || b === null) return a === b;
  return Math.abs(a - b) <= ROUNDING * Math.max(1, Math.abs(a), Math.abs(b));
}

function causesOf(
  kept: Evaluation,
  { alert, rule, readings }: { alert: Alert; rule: FigureRule; readings: RawReading[] },
): string[] {
  const isMoved = (of: RawReading['of']) => {
    const values = readings
      .filter((each) => each.of === of)
      .map(({ window, value }) => [window.endAt, value]);
    return new Set(values.map(String)).size > new Set(values.map(([endAt]) => endAt)).size;
  };
  return [
    ...(alert.ruleHash === meaningOf(rule) ? [] : ['the rule was changed since']),
    ...(isMoved('window') ? ['late data arrived, and the window was read again'] : []),
    ...(isMoved('baseline') ? ['late data arrived, and the baseline was read again'] : []),
    ...(kept.gates.some(({ gate, passed }) => gate === 'fresh' && !passed)
      ? ['the app had sent no data after the window by then']
      : []),
  ];
}

import type { Alert } from '../../shared/alerts/alert.ts';
import type { Evaluation } from '../../shared/evaluation/evaluation.ts';
import { meaningOf } from '../../shared/readings/series.ts';
import type { FigureRule } from '../../shared/rules/rule.ts';
import { type Again, differenceOf, type StoredReading } from './explanation.ts';

/** Smaller differences come from the order of addition. */
const ROUNDING = 1e-9;

/** Whether `again` equals the stored verdict; otherwise its figures, and possible causes. */
export function comparedAgain(
  kept: Evaluation,
  again: Evaluation | undefined,
  { alert, rule, readings }: { alert: Alert; rule: FigureRule; readings: StoredReading[] },
): Again {
  if (endedBy(alert, kept))
    return {
      kind: 'unknown',
      reason: 'the alert ended with this window, and its frozen baseline is not kept',
    };
  if (!again) return { kind: 'unknown', reason: 'its readings are no longer stored' };
  const isReadSame = isSame(kept.current.value, again.current.value);
  const isBaselineSame = isSame(kept.baseline.value, again.baseline.value);
  if (kept.verdict === again.verdict && isReadSame && isBaselineSame) return { kind: 'same' };
  return differenceOf(again, [
    ...(alert.ruleHash === meaningOf(rule) ? [] : ['the rule was changed since']),
    ...(!isReadSame && readings.length > 1 ? ['late data arrived, and the window was read again'] : []),
    ...(isBaselineSame ? [] : ['late data arrived, and the baseline was read again']),
    ...(kept.gates.some(({ gate, passed }) => gate === 'fresh' && !passed)
      ? ['the app had sent no data after the window by then']
      : []),
  ]);
}

/** The same for a window of which only the verdict is stored. */
export function comparedVerdict({ recent }: Alert, again: Evaluation): Again {
  const known = recent.find(({ endAt }) => endAt === again.current.window.endAt);
  if (!known) return { kind: 'unknown', reason: 'no verdict on this window is stored' };
  if (known.verdict === 'held' || known.verdict === again.verdict) return { kind: 'same' };
  return differenceOf(again, []);
}

/** A firing alert compares with a frozen baseline, which is deleted when it ends. */
function endedBy({ fired, state, stateSinceAt }: Alert, { current, recovered }: Evaluation): boolean {
  return fired === null && state === 'normal' && stateSinceAt === current.window.endAt && recovered;
}

function isSame(a: number | null, b: number | null): boolean {
  if (a === null || b === null) return a === b;
  return Math.abs(a - b) <= ROUNDING * Math.max(1, Math.abs(a), Math.abs(b));
}

import type { Alert } from '../../shared/alerts/alert.ts';
import type { Evaluation } from '../../shared/evaluation/evaluation.ts';
import type { GateName } from '../../shared/evaluation/gate.ts';
import type { ExplainedSeries } from './explanation.ts';

/** One series as a row: a segment of a rule, or a member of a composite rule. */
export function seriesFacts({ segment, state, last }: Alert): ExplainedSeries {
  const { verdict = null, reason = null, change = null, current, baseline } = last ?? {};
  return {
    ...{ segment, state, verdict, reason, change },
    ...{ current: current?.value ?? null, baseline: baseline?.value ?? null },
  };
}

/** The deciding gate: the first that failed, or the one in the reason. */
export function decisiveIn({ gates, reason }: Evaluation): GateName | null {
  const failed = gates.find(({ passed, gate }) => !passed && gate !== 'member');
  return failed?.gate ?? (reason.code === 'gate' ? reason.gate : null);
}

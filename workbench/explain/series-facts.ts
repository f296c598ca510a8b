import type { Alert } from '../../shared/alerting/alerts/alert.ts';
import type { Evaluation } from '../../shared/alerting/evaluation/evaluation.ts';
import type { GateName } from '../../shared/alerting/evaluation/gate.ts';
import type { ExplainedSeries } from './explanation.ts';

/** One series in a line: of those that its rule has, or of a rule that another one is about. */
export function seriesFacts({ segment, state, last }: Alert): ExplainedSeries {
  const { verdict = null, reason = null, change = null, current, baseline } = last ?? {};
  return {
    ...{ segment, state, verdict, reason, change },
    ...{ current: current?.value ?? null, baseline: baseline?.value ?? null },
  };
}

/** The gate that the verdict rests on: the first that failed, else the one that the reason names. */
export function decisiveIn({ gates, reason }: Evaluation): GateName | null {
  const failed = gates.find(({ passed, gate }) => !passed && gate !== 'member');
  return failed?.gate ?? (reason.code === 'gate' ? reason.gate : null);
}

import type { Case, CauseValues } from './cases.ts';

export interface Score {
  /** Harmonic mean of precision and recall. */
  f1: number;
  precision: number;
  recall: number;
}

/** Scores the named causes. A cause counts as found only if all its values match exactly. */
export function exactMatch(answers: readonly { each: Case; named: readonly CauseValues[] }[]): Score {
  let [right, named, real] = [0, 0, 0];
  for (const answer of answers) {
    const causes = new Set(answer.each.causes.map(causeText));
    right += answer.named.filter((cause) => causes.has(causeText(cause))).length;
    named += answer.named.length;
    real += causes.size;
  }
  const share = (of: number) => Math.round((of > 0 ? right / of : 0) * 1000) / 1000;
  return { f1: share((named + real) / 2), precision: share(named), recall: share(real) };
}

/** A text such as "cdn=5 p2p=0", independent of the order of the values. */
export function causeText(cause: CauseValues): string {
  return Object.entries(cause)
    .map(([dimension, value]) => `${dimension}=${value}`)
    .toSorted()
    .join(' ');
}

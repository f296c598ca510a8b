import type { Case, CauseValues } from './cases.ts';

export interface Score {
  /** Harmonic mean of precision and recall. */
  f1: number;
  precision: number;
  recall: number;
}

/** Causes named word for word, over all that were named and over all that there are. */
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

/** The same for the same values, in whatever order: "cdn=5 p2p=0". */
export function causeText(cause: CauseValues): string {
  return Object.entries(cause)
    .map(([dimension, value]) => `${dimension}=${value}`)
    .toSorted()
    .join(' ');
}

import type { BoundTest } from './bind-test.ts';
import { subjectOf } from './expectations.ts';
import type { Outcome } from './run-test.ts';
import { localText } from './test-times.ts';
import { whyNeverEvaluated } from './why-not-fired.ts';

/** What a test does not show although it seems to, a line each: rules that never judged, and revisions that no run saw. */
export function hollowIn(test: BoundTest, outcome: Outcome): string[] {
  return [...neverEvaluated(test, outcome), ...neverSeen(test, outcome)].slice(1);
}

/** That nothing is told by a rule that could not judge says nothing of it; what it was told of itself does. */
function neverEvaluated(test: BoundTest, outcome: Outcome): string[] {
  const shown = new Set([
    ...outcome.evaluated.flatMap(({ ruleId, evaluation: { verdict } }) =>
      verdict === 'clear' || verdict === 'breached' ? ruleId : [],
    ),
    ...outcome.notified.map(subjectOf),
  ]);
  return test.ruleSet.rules
    .filter(({ id }) => !shown.has(id))
    .flatMap(({ id }) => [
      '',
      `the test shows nothing of ${id}: it found no window clear or breached`,
      ...whyNeverEvaluated(id, test, outcome).map((text) => `  ${text}`),
      '  write as many values as its baseline needs, or name the rules that are meant in "rules"',
    ]);
}

function neverSeen({ series, clock }: BoundTest, { lastRunAt }: Outcome): string[] {
  return series.flatMap(({ windows, sights }) =>
    windows.flatMap(({ startAt }, i) =>
      (sights[i] ?? []).flatMap(({ seenAt }) =>
        seenAt > lastRunAt
          ? [
              '',
              `the revision of ${localText(startAt, clock)} is never seen: it comes at ${localText(seenAt, clock)}, and the last run at ${localText(lastRunAt, clock)}`,
              '  write more values for a later run',
            ]
          : [],
      ),
    ),
  );
}

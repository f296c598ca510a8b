import type { BoundTest } from './bind-test.ts';
import { subjectOf } from './expectations.ts';
import type { Outcome } from './run-test.ts';
import { localText } from './test-times.ts';
import { whyNeverEvaluated } from './why-not-fired.ts';

/** What a test seems to cover but does not, as lines: rules never evaluated, and revisions never read. */
export function hollowIn(test: BoundTest, outcome: Outcome): string[] {
  return [...neverEvaluated(test, outcome), ...neverSeen(test, outcome)].slice(1);
}

/** A rule without verdicts sends no notifications, which proves nothing. Notifications about its health do. */
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
      `the test does not exercise ${id}: no window was clear or breached`,
      ...whyNeverEvaluated(id, test, outcome).map((text) => `  ${text}`),
      '  add values until it has a baseline, or list the rules to test in "rules"',
    ]);
}

function neverSeen({ series, clock }: BoundTest, { lastRunAt }: Outcome): string[] {
  return series.flatMap(({ windows, sights }) =>
    windows.flatMap(({ startAt }, i) =>
      (sights[i] ?? []).flatMap(({ seenAt }) =>
        seenAt > lastRunAt
          ? [
              '',
              `the revision of ${localText(startAt, clock)} is not used: it arrives at ${localText(seenAt, clock)}, after the last run at ${localText(lastRunAt, clock)}`,
              '  add values for a later run',
            ]
          : [],
      ),
    ),
  );
}

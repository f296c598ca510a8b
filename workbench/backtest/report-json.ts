import type { Backtest } from './backtest.ts';
import type { Comparison } from './compare.ts';
import type { Fire } from './fires.ts';
import type { Answer, Hits, LabelOutcome } from './hits.ts';
import { sensitivityJson } from './sensitivities.ts';
import type { RuleStatistics, Statistics } from './statistics.ts';

/**
 * The output of `deltawatch backtest --json`. Times are ISO 8601 in UTC, durations are in hours, shares are from
 * 0 to 1, and a month is 30 days. `null` means unknown, except where noted. `rules` are sorted by number of
 * alerts, most first. `incidents` is `null` without labels, `comparison` without `--compare`. `sensitivity` has the
 * smallest changes that would fire at the end. With labels, each of a rule's `fires` has its `match` and the titles of the `incidents` that it matches.
 */
export function reportJson({ statistics, comparison, calls, notes }: Backtest, figures: string) {
  const { span, rules, labelled, channels } = statistics;
  return {
    from: iso(span.startAt),
    to: iso(span.endAt),
    figures,
    alerts: statistics.alerts,
    alertsPerMonth: rounded(statistics.alertsPerMonth),
    messages: statistics.messages,
    messagesPerMonth: rounded(statistics.messagesPerMonth),
    calls: { made: calls.made, perDay: rounded(calls.perDay) },
    rules: rules.map((each) => ruleJson(each, labelled)),
    channels: channels.map((each) => ({ ...each, messagesPerMonth: rounded(each.messagesPerMonth) })),
    hits: labelled && hitsJson(labelled.hits),
    incidents: labelled?.outcomes.map(incidentJson) ?? null,
    comparison: comparison && comparisonJson(comparison),
    notes,
  };
}

function ruleJson(each: RuleStatistics, labelled: Statistics['labelled']) {
  const { rule, openMs, windows, gaps, hits, fires } = each;
  return {
    rule: rule.id,
    title: rule.title,
    severity: rule.severity,
    alerts: each.alerts,
    alertsPerMonth: rounded(each.alertsPerMonth),
    openHours: {
      total: hours(openMs.total),
      longest: hours(openMs.longest),
      median: openMs.median === null ? null : hours(openMs.median),
    },
    stillOpen: each.stillOpen,
    flaps: each.flaps,
    segments: each.segments,
    windows: { ...windows, unevaluated: each.unevaluated },
    evaluatedDays: rounded(each.evaluatedMs / 86_400_000),
    notEvaluated: gaps,
    messagesPerMonth: rounded(each.messagesPerMonth),
    hits: hits && hitsJson(hits),
    sensitivity: each.sensitivities.map(sensitivityJson),
    fires: fires.map((fire) => ({ ...fireJson(fire), ...(labelled && answerJson(fire, labelled.answers)) })),
  };
}

function answerJson(fire: Fire, answers: Answer[]) {
  const answer = answers.find((each) => each.fire === fire);
  return { match: answer?.match ?? 'wrong', incidents: answer?.labels.map(({ title }) => title) ?? [] };
}

function fireJson({ segment, window, at, throughAt, hasEnded, figures }: Fire) {
  const { current, baseline, change } = figures;
  return {
    segment,
    windowStart: iso(window.startAt),
    windowEnd: iso(window.endAt),
    foundAt: iso(at),
    openThrough: iso(throughAt),
    hasEnded,
    current,
    baseline,
    changePct: change === null ? null : rounded(change * 100),
  };
}

function hitsJson({ precision, recall, medianDelayMs, ...counts }: Hits) {
  return {
    ...counts,
    precision: precision === null ? null : rounded(precision),
    recall: recall === null ? null : rounded(recall),
    medianDelayHours: medianDelayMs === null ? null : hours(medianDelayMs),
  };
}

function incidentJson({ label, hits, missed }: LabelOutcome) {
  const { title, startAt, endAt, about } = label;
  const foundBy = hits.map(({ ruleId, delayMs }) => ({ rule: ruleId, delayHours: hours(delayMs) }));
  return { title, from: iso(startAt), to: iso(endAt), ...about, foundBy, missed };
}

function comparisonJson({ changes, rules, alertsPerMonth, messagesPerMonth, heard }: Comparison) {
  const ids = (each: { id: string }[]) => each.map(({ id }) => id);
  const pair = ({ before, after }: { before: number; after: number }) => ({
    before: rounded(before),
    after: rounded(after),
  });
  const changed = (startsOver: boolean) =>
    changes.changed
      .filter((each) => each.startsOver === startsOver)
      .map(({ after, fields }) => ({ rule: after.id, fields }));
  return {
    added: ids(changes.added),
    removed: ids(changes.removed),
    changedInMeaning: changed(true),
    cosmetic: changed(false),
    alertsPerMonth: pair(alertsPerMonth),
    messagesPerMonth: pair(messagesPerMonth),
    channels: heard.map(({ route, channel, ...rates }) => ({ route, channel, ...pair(rates) })),
    rules: rules.map(({ rule, kind, appears, disappears, moved }) => ({
      ...{ rule: rule.id, kind },
      appears: appears.map(fireJson),
      disappears: disappears.map(fireJson),
      moved: moved.map(({ before, after }) => ({ before: fireJson(before), after: fireJson(after) })),
    })),
  };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

function hours(ms: number): number {
  return rounded(ms / 3_600_000);
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

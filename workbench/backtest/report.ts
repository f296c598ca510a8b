import { healthText } from '../../shared/messages/reason-text.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import type { Window } from '../../shared/time/window.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import { coverageOf, lengthOf } from './coverage.ts';
import type { LoggedMessage, ReplayLog } from './replay-log.ts';

/** A month is 30 days, so that rates are comparable. */
const MONTH_MS = 30 * DAY_MS;

/** What one rule did. Rates count only the time that could be evaluated. */
export type RuleReport = ReturnType<typeof ruleReport>;

/** What the rules would have done in a period. A month has 30 days. */
export type ReplayReport = ReturnType<typeof replayReport>;

export function replayReport(log: ReplayLog, { rules, span }: { rules: Rule[]; span: Window }) {
  const reports = rules.map((rule) => ruleReport(rule, log, span));
  const messagesPerMonth = messageRate(reports, span);
  const counts = reports.map((each) => ({ count: each.alerts, overMs: each.evaluatedMs || lengthOf(span) }));
  return {
    ...span,
    alerts: counts.reduce((sum, { count }) => sum + count, 0),
    alertsPerMonth: perMonth(counts),
    messages: log.messages.length,
    messagesPerMonth: messagesPerMonth(log.messages),
    /** Most alerts first, then the longest open. */
    rules: reports.toSorted(byTrouble),
    channels: channelsOf(log.messages, messagesPerMonth),
  };
}

function ruleReport(rule: Rule, log: ReplayLog, span: Window) {
  const { id, title, severity, zone } = rule;
  const series = log.seriesOf(id);
  const fires = series.flatMap((each) => each.fires).toSorted((a, b) => a.onset.endAt - b.onset.endAt);
  const gaps = log.gapsOf(id);
  const coverage = coverageOf(rule, { series, gaps, span });
  const overMs = coverage.evaluatedMs || lengthOf(span);
  const lengths = fires.map(({ onset, throughAt }) => throughAt - onset.endAt);
  const messages = log.messages.filter((each) => each.rules.includes(id)).length;
  const reasons = Map.groupBy(gaps, ({ reason }) => healthText(reason, zone));
  const notEvaluated = [...reasons].map(([reason, runs]) => ({ reason, runs: runs.length }));
  return {
    ...{ rule: id, title, severity, ...coverage },
    alerts: fires.length,
    alertsPerMonth: perMonth([{ count: fires.length, overMs }]),
    messagesPerMonth: perMonth([{ count: messages, overMs }]),
    /** From the firing window to the window that ended the alert: of all alerts, and of the longest. */
    openMs: { total: lengths.reduce((sum, each) => sum + each, 0), longest: Math.max(0, ...lengths) },
    /** Alerts open at the end of the replay. */
    stillOpen: fires.filter(({ hasEnded }) => !hasEnded).length,
    /** Runs that could not evaluate it, with reasons, most frequent first. */
    notEvaluated: notEvaluated.toSorted((a, b) => b.runs - a.runs),
    /** Of all segments, in order of time. */
    fires,
  };
}

type MessageRate = (messages: LoggedMessage[]) => number;

/** Message rates count the time in which one of the message's rules could be evaluated. */
function messageRate(reports: Pick<RuleReport, 'rule' | 'evaluatedMs'>[], span: Window): MessageRate {
  const evaluated = new Map(reports.map(({ rule, evaluatedMs }) => [rule, evaluatedMs]));
  const overMs = ({ rules }: LoggedMessage) =>
    Math.max(0, ...rules.map((id) => evaluated.get(id) ?? 0)) || lengthOf(span);
  return (messages) => perMonth(messages.map((each) => ({ count: 1, overMs: overMs(each) })));
}

/** Combined rates of spans. Exact where the spans are equally long. */
function perMonth(counts: { count: number; overMs: number }[]): number {
  const byLength = Map.groupBy(counts, ({ overMs }) => overMs);
  return [...byLength].reduce(
    (sum, [overMs, group]) =>
      sum + group.reduce((total, { count }) => total + count, 0) / (overMs / MONTH_MS),
    0,
  );
}

function channelsOf(messages: LoggedMessage[], rateOf: MessageRate) {
  const groups = Map.groupBy(messages, ({ route, channel }) => JSON.stringify([route, channel]));
  return [...groups.values()]
    .flatMap((group) => {
      const [first] = group;
      if (!first) return [];
      const { route, channel } = first;
      return [{ route, channel, messages: group.length, messagesPerMonth: rateOf(group) }];
    })
    .toSorted((a, b) => b.messages - a.messages || (a.route < b.route ? -1 : 1));
}

function byTrouble(a: RuleReport, b: RuleReport): number {
  return b.alerts - a.alerts || b.openMs.total - a.openMs.total || (a.rule < b.rule ? -1 : 1);
}

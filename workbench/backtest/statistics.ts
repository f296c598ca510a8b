import type { RuleSet } from '../../shared/alerting/deployments/rule-store.ts';
import { momentsIn } from '../../shared/alerting/messages/figure-text.ts';
import { healthText } from '../../shared/alerting/messages/health-text.ts';
import type { Rule } from '../../shared/alerting/rules/rule.ts';
import type { Window } from '../../shared/alerting/time/window.ts';
import { OTHERS } from '../../shared/analytics/grouping.ts';
import { type Coverage, coverageOf } from './coverage.ts';
import type { Fire, SeriesLog } from './fires.ts';
import {
  type Answer,
  answersOf,
  type Hits,
  hitsOfAll,
  hitsOfRule,
  isTelling,
  type LabelOutcome,
  outcomesOf,
} from './hits.ts';
import type { Label } from './label.ts';
import { medianOf } from './median.ts';
import type { Ledger, LoggedMessage } from './message-log.ts';

/** What rates are per, so that months are of one length. */
const MONTH_MS = 30 * 86_400_000;

/** Windows by what they were found to be; a window that was judged again counts once, as it was judged last. */
type Windows = Record<'evaluated' | 'breached' | 'inconclusive' | 'noData', number>;

/**
 * What one rule did. Durations are milliseconds, from the fire's window to the one that ended it; rates are of the time in
 * which it could be judged.
 */
export interface RuleStatistics extends Coverage {
  rule: Rule;
  alerts: number;
  alertsPerMonth: number;
  openMs: { total: number; longest: number; median: number | null };
  /** Alerts that were open when the replay ended. */
  stillOpen: number;
  flaps: number;
  segments: number;
  hasOthers: boolean;
  windows: Windows;
  /** Runs that could not judge it, and why, the most frequent first. */
  gaps: { reason: string; runs: number }[];
  /** Start of the first window that could be judged; `null` where none could. */
  knownFromAt: number | null;
  messagesPerMonth: number;
  hits: Hits | null;
  fires: Fire[];
}

/** How alerts and labels go together. */
interface Labelled {
  outcomes: LabelOutcome[];
  hits: Hits;
  answers: Answer[];
  /** Labels that say too little for any alert to be right about them. */
  vague: Label[];
}

interface ChannelStatistics {
  route: string;
  channel: string;
  messages: number;
  messagesPerMonth: number;
}

export interface Statistics {
  span: Window;
  /** The one with the most alerts first, and of equals the one that was open longest. */
  rules: RuleStatistics[];
  alerts: number;
  alertsPerMonth: number;
  channels: ChannelStatistics[];
  messages: number;
  messagesPerMonth: number;
  labelled: Labelled | null;
}

/** What is known besides what the replay told. */
export interface Circumstances {
  ruleSet: RuleSet;
  span: Window;
  /** `undefined` where nobody labelled the past. */
  labels: Label[] | undefined;
}

export function statisticsOf(ledger: Ledger, { ruleSet, span, labels }: Circumstances): Statistics {
  const { rules } = ruleSet;
  const fires = rules.flatMap(({ id }) => firesOf(ledger, id));
  const labelled = labels ? labelledOf(fires, labels, { ledger, rules, span }) : null;
  const spanMs = span.endAt - span.startAt;
  const statistics = rules.map((rule): RuleStatistics => {
    const own = firesOf(ledger, rule.id);
    const series = ledger.seriesOf(rule.id);
    const coverage = coverageOf(rule, { series, gaps: ledger.gapsOf(rule.id), span });
    const overMs = coverage.evaluatedMs || spanMs;
    const messages = ledger.messages.filter(({ ruleIds }) => ruleIds.includes(rule.id));
    return {
      ...{ rule, ...ownStatistics(rule, ledger), ...coverage, fires: own },
      alertsPerMonth: perMonth([{ count: own.length, overMs }]),
      messagesPerMonth: perMonth([{ count: messages.length, overMs }]),
      hits: labelled && hitsOfRule(rule, labelled.outcomes, labelled.answers),
    };
  });
  const messagesPerMonth = messageRate(statistics, spanMs);
  return {
    span,
    rules: statistics.toSorted(byTrouble),
    alerts: fires.length,
    alertsPerMonth: perMonth(
      statistics.map(({ alerts, evaluatedMs }) => ({ count: alerts, overMs: evaluatedMs || spanMs })),
    ),
    channels: channelsOf(ledger.messages, messagesPerMonth),
    messages: ledger.messages.length,
    messagesPerMonth: messagesPerMonth(ledger.messages),
    labelled,
  };
}

function labelledOf(
  fires: Fire[],
  labels: Label[],
  { ledger, rules, span }: { ledger: Ledger; rules: Rule[]; span: Window },
): Labelled {
  const segments = new Map(rules.map(({ id }) => [id, watchedSegments(ledger.seriesOf(id))]));
  const replayed = { rules, segmentsOf: (id: string) => segments.get(id) ?? new Set<string>() };
  const answers = answersOf(fires, labels, replayed);
  const outcomes = outcomesOf(labels, replayed, answers, span);
  const vague = labels.filter(({ about }) => !isTelling(about));
  return { outcomes, hits: hitsOfAll(outcomes, answers), answers, vague };
}

function watchedSegments(series: SeriesLog[]): Set<string> {
  return new Set(series.flatMap(({ segment }) => (segment === OTHERS ? [] : (segment ?? []))));
}

/** Of all segments, in order of time. */
function firesOf(ledger: Ledger, ruleId: string): Fire[] {
  return ledger
    .seriesOf(ruleId)
    .flatMap(({ fires }) => fires)
    .toSorted((a, b) => a.onset.endAt - b.onset.endAt);
}

function ownStatistics({ id, zone }: Rule, ledger: Ledger) {
  const series = ledger.seriesOf(id);
  const fires = series.flatMap((each) => each.fires);
  const lengths = fires.map(({ onset, throughAt }) => throughAt - onset.endAt);
  const reasons = Map.groupBy(ledger.gapsOf(id), ({ reason }) => healthText(reason, momentsIn(zone)));
  const gaps = [...reasons].map(([reason, runs]) => ({ reason, runs: runs.length }));
  const known = series.flatMap(({ knownFromAt }) => knownFromAt ?? []);
  return {
    alerts: fires.length,
    openMs: {
      total: lengths.reduce((sum, each) => sum + each, 0),
      longest: Math.max(0, ...lengths),
      median: medianOf(lengths),
    },
    stillOpen: fires.filter(({ hasEnded }) => !hasEnded).length,
    flaps: ledger.flapsOf(id),
    segments: watchedSegments(series).size,
    hasOthers: series.some(({ segment }) => segment === OTHERS),
    windows: windowsOf(series),
    gaps: gaps.toSorted((a, b) => b.runs - a.runs),
    knownFromAt: known.length > 0 ? Math.min(...known) : null,
  };
}

function windowsOf(series: SeriesLog[]): Windows {
  const windows = { evaluated: 0, breached: 0, inconclusive: 0, noData: 0 };
  for (const counts of series.map((each) => each.counts())) {
    windows.breached += counts.breached;
    windows.inconclusive += counts.inconclusive + counts.failed;
    windows.noData += counts['no-data'];
    windows.evaluated += Object.values(counts).reduce((sum, each) => sum + each, 0);
  }
  return windows;
}

type MessageRate = (messages: LoggedMessage[]) => number;

/** Messages come as often as in the time in which a rule that they tell of could be judged. */
function messageRate(rules: RuleStatistics[], spanMs: number): MessageRate {
  const evaluated = new Map(rules.map(({ rule, evaluatedMs }) => [rule.id, evaluatedMs]));
  const overMs = ({ ruleIds }: LoggedMessage) =>
    Math.max(0, ...ruleIds.map((id) => evaluated.get(id) ?? 0)) || spanMs;
  return (messages) => perMonth(messages.map((each) => ({ count: 1, overMs: overMs(each) })));
}

/** What came in spans of different lengths, together; exact where they are of one length. */
function perMonth(counts: { count: number; overMs: number }[]): number {
  const byLength = Map.groupBy(counts, ({ overMs }) => overMs);
  return [...byLength].reduce(
    (sum, [overMs, group]) =>
      sum + group.reduce((total, { count }) => total + count, 0) / (overMs / MONTH_MS),
    0,
  );
}

function channelsOf(messages: LoggedMessage[], rateOf: MessageRate): ChannelStatistics[] {
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

function byTrouble(a: RuleStatistics, b: RuleStatistics): number {
  return b.alerts - a.alerts || b.openMs.total - a.openMs.total || (a.rule.id < b.rule.id ? -1 : 1);
}

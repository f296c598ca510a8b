import { OTHERS } from '../../shared/contract/grouping.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import { momentsIn } from '../../shared/messages/figure-text.ts';
import { healthText } from '../../shared/messages/health-text.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import type { Window } from '../../shared/time/window.ts';
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
import { type SeriesSensitivity, sensitivitiesOf } from './sensitivities.ts';

/** A month is 30 days, so that rates are comparable. */
const MONTH_MS = 30 * 86_400_000;

/** Windows by verdict. A window evaluated again counts once, with its last verdict. */
type Windows = Record<'evaluated' | 'breached' | 'inconclusive' | 'noData', number>;

/**
 * What one rule did. Durations are milliseconds from the firing window to the window that ended the alert.
 * Rates count only the time that could be evaluated.
 */
export interface RuleStatistics extends Coverage {
  rule: Rule;
  alerts: number;
  alertsPerMonth: number;
  openMs: { total: number; longest: number; median: number | null };
  /** Alerts open at the end of the replay. */
  stillOpen: number;
  flaps: number;
  segments: number;
  hasOthers: boolean;
  windows: Windows;
  /** Runs that could not evaluate it, with reasons, most frequent first. */
  gaps: { reason: string; runs: number }[];
  /** Start of the first window that could be evaluated; `null` where none could. */
  knownFromAt: number | null;
  messagesPerMonth: number;
  hits: Hits | null;
  fires: Fire[];
  /** What would fire at the end of the replay, by series, largest first; without those of which nothing is known. */
  sensitivities: SeriesSensitivity[];
}

/** How alerts match labels. */
interface Labelled {
  outcomes: LabelOutcome[];
  hits: Hits;
  answers: Answer[];
  /** Labels that are too unspecific for any alert to match. */
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
  /** Most alerts first, then the longest open. */
  rules: RuleStatistics[];
  alerts: number;
  alertsPerMonth: number;
  channels: ChannelStatistics[];
  messages: number;
  messagesPerMonth: number;
  labelled: Labelled | null;
}

/** Facts from outside the replay. */
export interface Circumstances {
  ruleSet: RuleSet;
  span: Window;
  /** `undefined` without labels. */
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
      sensitivities: sensitivitiesOf(rule, series, span),
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

/** All segments, in order of time. */
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

/** Message rates count the time in which one of the message's rules could be evaluated. */
function messageRate(rules: RuleStatistics[], spanMs: number): MessageRate {
  const evaluated = new Map(rules.map(({ rule, evaluatedMs }) => [rule.id, evaluatedMs]));
  const overMs = ({ ruleIds }: LoggedMessage) =>
    Math.max(0, ...ruleIds.map((id) => evaluated.get(id) ?? 0)) || spanMs;
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

import type { RuleSet } from '../../shared/alerting/ports.ts';
import type { Rule } from '../../shared/alerting/rule.ts';
import type { Window } from '../../shared/alerting/window.ts';
import { OTHERS } from '../../shared/analytics/grouping.ts';
import type { Fire, SeriesLog } from './fires.ts';
import { type Hits, hitsOfAll, hitsOfRule, type LabelOutcome, outcomesOf } from './hits.ts';
import type { Label } from './labels.ts';
import type { Ledger, LoggedMessage } from './ledger.ts';
import { medianOf } from './median.ts';

/** What rates are per, so that months are of one length. */
const MONTH_MS = 30 * 86_400_000;

/** Windows by what they were found to be; a window that was judged again counts once, as it was judged last. */
type Windows = Record<'judged' | 'breached' | 'inconclusive' | 'noData', number>;

/** What one rule did. Durations are milliseconds, from the fire's window to the one that ended it. */
export interface RuleStatistics {
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
  labelled: { outcomes: LabelOutcome[]; hits: Hits } | null;
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
  const outcomes = labels ? outcomesOf(labels, rules, fires, span) : [];
  const months = (span.endAt - span.startAt) / MONTH_MS;
  const statistics = rules.map((rule): RuleStatistics => {
    const own = firesOf(ledger, rule.id);
    return {
      ...{ rule, ...ownStatistics(rule, ledger), fires: own },
      alertsPerMonth: own.length / months,
      messagesPerMonth: ledger.messages.filter(({ ruleIds }) => ruleIds.includes(rule.id)).length / months,
      hits: labels ? hitsOfRule(rule, labels, outcomes, own) : null,
    };
  });
  return {
    span,
    rules: statistics.toSorted(byTrouble),
    alerts: fires.length,
    alertsPerMonth: fires.length / months,
    channels: channelsOf(ledger.messages, months),
    messages: ledger.messages.length,
    messagesPerMonth: ledger.messages.length / months,
    labelled: labels ? { outcomes, hits: hitsOfAll(rules, labels, outcomes, fires) } : null,
  };
}

/** Of all segments, in order of time. */
function firesOf(ledger: Ledger, ruleId: string): Fire[] {
  return ledger
    .seriesOf(ruleId)
    .flatMap(({ fires }) => fires)
    .toSorted((a, b) => a.onset.endAt - b.onset.endAt);
}

function ownStatistics({ id }: Rule, ledger: Ledger) {
  const series = ledger.seriesOf(id);
  const fires = series.flatMap((each) => each.fires);
  const lengths = fires.map(({ onset, throughAt }) => throughAt - onset.endAt);
  const gaps = [...(ledger.gaps.get(id) ?? [])].map(([reason, runs]) => ({ reason, runs }));
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
    segments: series.filter(({ segment }) => segment !== null && segment !== OTHERS).length,
    hasOthers: series.some(({ segment }) => segment === OTHERS),
    windows: windowsOf(series),
    gaps: gaps.toSorted((a, b) => b.runs - a.runs),
    knownFromAt: known.length > 0 ? Math.min(...known) : null,
  };
}

function windowsOf(series: SeriesLog[]): Windows {
  const windows = { judged: 0, breached: 0, inconclusive: 0, noData: 0 };
  for (const counts of series.map((each) => each.counts())) {
    windows.breached += counts.breached;
    windows.inconclusive += counts.inconclusive + counts.failed;
    windows.noData += counts['no-data'];
    windows.judged += Object.values(counts).reduce((sum, each) => sum + each, 0);
  }
  return windows;
}

function channelsOf(messages: LoggedMessage[], months: number): ChannelStatistics[] {
  const groups = Map.groupBy(messages, ({ route, channel }) => JSON.stringify([route, channel]));
  return [...groups.values()]
    .flatMap((group) => {
      const [first] = group;
      if (!first) return [];
      const { route, channel } = first;
      return [{ route, channel, messages: group.length, messagesPerMonth: group.length / months }];
    })
    .toSorted((a, b) => b.messages - a.messages || (a.route < b.route ? -1 : 1));
}

function byTrouble(a: RuleStatistics, b: RuleStatistics): number {
  return b.alerts - a.alerts || b.openMs.total - a.openMs.total || (a.rule.id < b.rule.id ? -1 : 1);
}

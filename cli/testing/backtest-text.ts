import { shareText, spanText } from '../../shared/messages/figure-text.ts';
import { printable } from '../../shared/runtime/redaction.ts';
import { counted } from '../../shared/text/counted.ts';
import type { BacktestReport } from '../../workbench/backtest/backtest.ts';
import type { Comparison, RuleComparison } from '../../workbench/backtest/compare.ts';
import type { RuleReport } from '../../workbench/backtest/report.ts';
import {
  changedRulesText,
  changeText,
  movedText,
  openText,
  rateText,
  spanWords,
  totalsText,
} from '../../workbench/backtest/report-text.ts';
import { type Column, tableText } from '../terminal/table.ts';
import { folded, wrapped } from '../terminal/wrapping.ts';

/** Sources, for the first lines. */
export interface Heading {
  /** Source of the figures. */
  figures: string;
  /** The compared commit; `undefined` without a comparison. */
  against: string | undefined;
}

/** The report in 80 columns. */
export function backtestText(report: BacktestReport, { figures, against }: Heading): string {
  const { rules, comparison } = report;
  const sections = [
    wrapped(`${counted(rules.length, 'rule')} over ${spanWords(report)}, on ${figures}`, 0),
    ...(comparison ? comparisonSections(comparison, against) : []),
    [rulesTable(report)],
    wrapped(totalsText(report), 0),
    ...(report.channels.length > 0 ? [[channelsTable(report)]] : []),
    report.notes.flatMap((note) => wrapped(`note: ${printable(note)}`)),
  ];
  return sections.map((lines) => lines.join('\n')).join('\n\n');
}

function rulesTable({ rules }: BacktestReport): string {
  const figures = ['alerts', 'a month', 'longest', 'unknown'];
  // The rest of 80 columns.
  const width = 36;
  const columns: Column[] = [
    { title: 'rule', width },
    ...figures.map((title): Column => ({ title, align: 'right' })),
  ];
  return tableText(
    columns,
    rules.map((each) => [
      folded(each.rule, width),
      ...[`${each.alerts}`, rateText(each.alertsPerMonth), longestText(each)],
      shareText(each.unknownShare),
    ]),
  );
}

/** A fire on the last window has no length yet. */
function longestText({ alerts, openMs, stillOpen }: RuleReport): string {
  if (alerts === 0) return '';
  return openMs.longest === 0 && stillOpen > 0 ? 'open' : spanText(openMs.longest);
}

function channelsTable({ channels }: BacktestReport): string {
  const columns: Column[] = [
    { title: 'route', width: 30 },
    { title: 'channel', width: 24 },
    { title: 'messages', align: 'right' },
    { title: 'a month', align: 'right' },
  ];
  return tableText(
    columns,
    channels.map(({ route, channel, messages, messagesPerMonth }) => [
      ...[route, channel, messages, rateText(messagesPerMonth)],
    ]),
  );
}

/** What a change adds and removes: totals, and each affected rule. */
function comparisonSections(comparison: Comparison, against = ''): string[][] {
  return [
    wrapped(`Compared with ${against}. Rules: ${changedRulesText(comparison)}`, 0),
    [ratesTable(comparison)],
    ...(comparison.rules.length === 0 ? [['All alerts are the same.']] : []),
    ...comparison.rules.map((each) => [
      ...wrapped(`${each.rule} (${each.kind}): ${changeText(each)}`),
      ...changeLines(each).flatMap((line) => wrapped(`  ${printable(line)}`)),
    ]),
  ];
}

const PLACE_WIDTH = 56;

function ratesTable({ alertsPerMonth, messagesPerMonth, channels }: Comparison): string {
  const columns: Column[] = [
    { title: '', width: PLACE_WIDTH },
    { title: 'before', align: 'right' },
    { title: 'after', align: 'right' },
  ];
  const rows = [
    { name: 'alerts a month', ...alertsPerMonth },
    { name: 'messages a month', ...messagesPerMonth },
    ...channels.map((each) => ({ ...each, name: folded(`  ${each.route} to ${each.channel}`, PLACE_WIDTH) })),
  ];
  return tableText(
    columns,
    rows.map(({ name, before, after }) => [name, rateText(before), rateText(after)]),
  );
}

/** Listed alerts per rule. */
const SHOWN = 10;

/** The changed keys of a rule, and its alerts: `+` for a new one, `-` for one that is gone, `~` for another length. */
function changeLines({ fields, appears, disappears, moved }: RuleComparison): string[] {
  const fires = [
    ...appears.map((fire) => `+ ${fire.text}, ${openText(fire)}`),
    ...disappears.map((fire) => `- ${fire.text}, ${openText(fire)}`),
    ...moved.map((pair) => `~ ${pair.after.text}: ${movedText(pair)}`),
  ];
  return [
    ...fields.map(({ field, before = 'none', after = 'none' }) => `${field}: ${before} → ${after}`),
    ...fires.slice(0, SHOWN),
    ...(fires.length > SHOWN ? [`and ${fires.length - SHOWN} more; --json has all`] : []),
  ];
}

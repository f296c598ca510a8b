import type { Rule } from '../../shared/rules/rule.ts';
import { printable } from '../../shared/runtime/redaction.ts';
import { counted } from '../../shared/text/counted.ts';
import type { Backtest } from '../../workbench/backtest/backtest.ts';
import type { Comparison, RuleComparison } from '../../workbench/backtest/compare.ts';
import type { Fire } from '../../workbench/backtest/fires.ts';
import {
  beginText,
  callsText,
  changedRulesText,
  changeText,
  firedOnText,
  hitsText,
  MATCHES,
  rateText,
  segmentText,
  spanWords,
  totalsText,
} from '../../workbench/backtest/report-text.ts';
import { sensitivitiesText } from '../../workbench/backtest/sensitivities.ts';
import type { Statistics } from '../../workbench/backtest/statistics.ts';
import { changeRows, incidentCells, rateRows, ruleCells } from '../../workbench/backtest/tables.ts';
import { type Column, tableText } from '../terminal/table.ts';
import { folded, wrapped } from '../terminal/wrapping.ts';

/** Sources, for the first lines. */
export interface Heading {
  /** Source of the figures. */
  figures: string;
  /** The compared ref, as given. */
  against?: string | undefined;
}

/** The backtest report in 80 columns. */
export function backtestLines(backtest: Backtest, { figures, against }: Heading): string[] {
  const { statistics, comparison, calls, notes } = backtest;
  const { rules, span, labelled } = statistics;
  return [
    ...wrapped(`${counted(rules.length, 'rule')} over ${spanWords(span)}, on ${figures}`, 0),
    ...(comparison ? ['', ...comparisonLines(comparison, against ?? '')] : []),
    ...['', rulesTable(statistics), '', ...wrapped(totalsText(statistics), 0)],
    ...(statistics.channels.length > 0 ? ['', channelsTable(statistics)] : []),
    ...(labelled ? ['', ...wrapped(hitsText(labelled.hits), 0), ...incidentsTable(statistics)] : []),
    ...sensitivityTable(statistics),
    '',
    ...wrapped(callsText(calls), 0),
    ...['', ...notes.flatMap((note) => wrapped(`note: ${note}`))],
  ];
}

/** Width of rule ids: the rest of 80 columns. */
function ruleWidth(isLabelled: boolean, hasFlaps: boolean): number {
  if (!isLabelled) return 34;
  return hasFlaps ? 19 : 26;
}

function rulesTable({ rules, labelled }: Statistics): string {
  // Without labels there is room for a column that is mostly empty.
  const hasFlaps = !labelled || rules.some(({ flaps }) => flaps > 0);
  const width = ruleWidth(labelled !== null, hasFlaps);
  const heads = ['alerts', 'a month', 'longest', ...(hasFlaps ? ['flaps'] : []), 'unknown'];
  const columns: Column[] = [
    { title: 'rule', width },
    ...[...heads, ...(labelled ? MATCHES : [])].map((title): Column => ({ title, align: 'right' })),
  ];
  return tableText(
    columns,
    rules
      .map((each) => ({ id: each.rule.id, ...ruleCells(each) }))
      .map((each) => [
        folded(each.id, width),
        ...[each.alerts, each.aMonth, each.longest],
        ...(hasFlaps ? [each.flaps === '0' ? '' : each.flaps] : []),
        ...[each.unknown, ...(labelled ? each.match : [])],
      ]),
  );
}

function channelsTable({ channels }: Statistics): string {
  return tableText(
    [
      { title: 'route', width: 30 },
      { title: 'channel', width: 24 },
      { title: 'messages', align: 'right' },
      { title: 'a month', align: 'right' },
    ],
    channels.map(({ route, channel, messages, messagesPerMonth }) => [
      ...[route, channel, messages, rateText(messagesPerMonth)],
    ]),
  );
}

const [ID_WIDTH, CHANGE_WIDTH] = [27, 51];

/** What each rule would fire on at the end of the replay. */
function sensitivityTable({ rules }: Statistics): string[] {
  const rows = rules.flatMap(({ rule, sensitivities }) => {
    const text = rule.members ? undefined : sensitivitiesText(rule, sensitivities);
    return text === undefined ? [] : [[folded(rule.id, ID_WIDTH), folded(printable(text), CHANGE_WIDTH)]];
  });
  const columns = [{ title: 'rule', width: ID_WIDTH }, { title: 'smallest change that fires at the end' }];
  return rows.length === 0 ? [] : ['', tableText(columns, rows)];
}

const [TITLE_WIDTH, FOUND_WIDTH] = [24, 35];

function incidentsTable({ labelled }: Statistics): string[] {
  if (!labelled || labelled.outcomes.length === 0) return [];
  const rows = labelled.outcomes
    .map(incidentCells)
    .map(({ begins, title, foundBy }) => [
      begins,
      folded(printable(title), TITLE_WIDTH),
      folded(foundBy, FOUND_WIDTH),
    ]);
  return [
    '',
    tableText(
      [
        { title: 'begins', width: 17 },
        { title: 'incident', width: TITLE_WIDTH },
        { title: 'found by', width: FOUND_WIDTH },
      ],
      rows,
    ),
  ];
}

const HEARD_WIDTH = 56;

/** What a change adds and removes: totals, and each affected rule. */
function comparisonLines(comparison: Comparison, against: string) {
  const { changes, rules } = comparison;
  return [
    ...wrapped(`Compared with ${against}. Rules: ${changedRulesText(changes)}`, 0),
    '',
    tableText(
      [
        { title: '', width: HEARD_WIDTH },
        { title: 'before', align: 'right' },
        { title: 'after', align: 'right' },
      ],
      rateRows(comparison, ({ route, channel }) => folded(`  ${route} to ${channel}`, HEARD_WIDTH)),
    ),
    ...(rules.length === 0 ? ['', 'All alerts are the same.'] : []),
    ...rules.flatMap((each) => ['', ...ruleLines(each, changes)]),
  ];
}

/** Listed alerts per rule; `--json` has all. */
const SHOWN = 10;

const SIGNS = { new: '+', gone: '-', moved: '~' } as const;

function ruleLines(each: RuleComparison, changes: Comparison['changes']): string[] {
  const { rule, kind } = each;
  const { fields, fires } = changeRows(each, changes);
  const lines = fires.map(
    ({ what, fire, open }) => `${SIGNS[what]} ${fireText(fire, rule)}${what === 'moved' ? ':' : ','} ${open}`,
  );
  const more = lines.length > SHOWN ? [`  and ${lines.length - SHOWN} more; --json has all`] : [];
  return [
    ...wrapped(`${rule.id} (${kind}): ${changeText(each)}`),
    ...fields.flatMap(({ field, before, after }) => wrapped(`  ${field}: ${before} → ${after}`)),
    ...lines.slice(0, SHOWN).flatMap((line) => wrapped(`  ${line}`)),
    ...more,
  ];
}

/** "2026-03-02 [DE] 100 to 40 (-60%)". */
function fireText(fire: Fire, rule: Rule): string {
  // Segment names come from data.
  const segment = printable(segmentText(fire.segment));
  return [beginText(fire.window, rule), ...(segment ? [`[${segment}]`] : []), firedOnText(fire, rule)]
    .filter(Boolean)
    .join(' ');
}

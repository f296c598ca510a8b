import { counted } from '../../shared/text/counted.ts';
import type { Backtest } from './backtest.ts';
import type { Comparison, RuleComparison } from './compare.ts';
import {
  beginText,
  changedRulesText,
  changeText,
  firedOnText,
  hitsText,
  MATCHES,
  rateText,
  segmentText,
  spanWords,
  totalsText,
} from './report-text.ts';
import type { Statistics } from './statistics.ts';
import { changeRows, incidentCells, rateRows, ruleCells } from './tables.ts';

/** GitHub limits comments to 65,536 characters. This leaves room for other text. */
const LIMIT = 60_000;
const CUT = '\n\n*Cut here, because GitHub limits comments: `npx deltawatch backtest` prints all of it.*\n';

/** Listed alerts per rule. */
const SHOWN = 20;

/** The report as a pull request comment: a summary line, and folded details. */
export function markdownOf(
  backtest: Backtest,
  { figures, against }: { figures: string; against?: string },
): string {
  const { statistics, comparison, notes } = backtest;
  const blocks = [
    `**Backtest** of ${spanWords(statistics.span)}, on ${escaped(figures)}: ${summaryOf(backtest, against)}`,
    ...(comparison
      ? [changesTable(comparison), ...comparison.rules.map((each) => ruleDetails(each, comparison))]
      : []),
    ...(statistics.labelled ? [escaped(hitsText(statistics.labelled.hits))] : []),
    folded(`All rules: ${totalsText(statistics)}`, rulesTable(statistics)),
    ...(statistics.labelled?.outcomes.length
      ? [folded('Labelled incidents', incidentsTable(statistics))]
      : []),
    folded('How to read this', notes.map((note) => `- ${escaped(note)}`).join('\n')),
  ];
  return withinLimit(blocks);
}

/** Keeps whole blocks, so that no fold stays open. */
function withinLimit(blocks: string[]): string {
  const kept: string[] = [];
  let length = CUT.length;
  for (const block of blocks) {
    length += block.length + 2;
    if (length > LIMIT) return kept.join('\n\n') + CUT;
    kept.push(block);
  }
  return `${kept.join('\n\n')}\n`;
}

function summaryOf({ statistics, comparison }: Backtest, against = ''): string {
  if (!comparison) return escaped(totalsText(statistics));
  const { appears, disappears, moved, messagesPerMonth: messages } = comparison;
  const all = { appears, disappears, moved };
  const said = Object.values(all).some((count) => count > 0)
    ? `${counted(appears, 'alert')} more, ${disappears} fewer, ${moved} with a different length`
    : 'all alerts are the same';
  return `against ${code(against)}, ${said}; messages a month ${rateText(messages.before)} → ${rateText(messages.after)}`;
}

function changesTable(comparison: Comparison): string {
  return [
    table(
      ['', 'before', 'after'],
      rateRows(comparison, ({ route, channel }) => `${code(route)} to ${code(channel)}`),
      1,
    ),
    '',
    `Rules: ${changedRulesText(comparison.changes)}.`,
  ].join('\n');
}

function ruleDetails(each: RuleComparison, { changes }: Comparison): string {
  const { rule, kind } = each;
  const { fields, fires } = changeRows(each, changes);
  const isParted = fires.some(({ fire }) => fire.segment !== null);
  const heads = ['', 'fired on', ...(isParted ? ['segment'] : []), 'expected and found', 'open for'];
  const rows = fires.map(({ what, fire, open }) => [
    ...[what, cell(beginText(fire.window, rule))],
    ...(isParted ? [code(segmentText(fire.segment))] : []),
    ...[cell(firedOnText(fire, rule)), cell(open)],
  ]);
  const more = rows.length > SHOWN ? ['', `and ${rows.length - SHOWN} more.`] : [];
  return folded(
    `${rule.id} (${kind}): ${changeText(each)}`,
    [
      ...fields.map(({ field, before, after }) => `- ${code(field)}: ${code(before)} → ${code(after)}`),
      ...(rows.length === 0 ? [] : ['', table(heads, rows.slice(0, SHOWN))]),
      ...more,
    ].join('\n'),
  );
}

function rulesTable({ rules, labelled }: Statistics): string {
  const heads = ['rule', 'alerts', 'a month', 'longest', 'flaps', 'unknown', ...(labelled ? MATCHES : [])];
  return table(
    heads,
    rules.map((each) => {
      const { alerts, aMonth, longest, flaps, unknown, match } = ruleCells(each);
      return [code(each.rule.id), alerts, aMonth, longest, flaps, unknown, ...(labelled ? match : [])];
    }),
    1,
  );
}

function incidentsTable({ labelled }: Statistics): string {
  const rows = (labelled?.outcomes ?? [])
    .map(incidentCells)
    .map(({ begins, title, foundBy }) => [begins, code(title), cell(foundBy)]);
  return table(['begin', 'incident', 'found by'], rows);
}

/** Cells are Markdown. Columns from `figures` on are right-aligned. */
function table(heads: string[], rows: string[][], figures = heads.length): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(heads), line(heads.map((_, i) => (i < figures ? '---' : '---:'))), ...rows.map(line)].join(
    '\n',
  );
}

function folded(summary: string, body: string): string {
  return `<details><summary>${inHtml(summary)}</summary>\n\n${body}\n\n</details>`;
}

function cell(text: string): string {
  return escaped(text).replaceAll('|', '\\|');
}

/** Text of ours that may contain foreign words: escapes markup and links. */
function escaped(text: string): string {
  return inHtml(text).replaceAll(/[\\`*_[\]~]/g, (sign) => `\\${sign}`);
}

/** GitHub finds mentions after it resolves entities and backslashes, so a zero-width space breaks them. */
function inHtml(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[@#](?=\w)/g, (sign) => `${sign}\u200b`)
    .replaceAll('://', '&#58;//');
}

/**
 * Text from people and data, verbatim: no markup, links or mentions. A pipe ends a table cell even in code,
 * and a preceding backslash would undo an escape, so a look-alike replaces it.
 */
function code(text: string): string {
  if (text === '') return '';
  return `\`${text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .replaceAll('`', "'")
    .replaceAll('|', '¦')}\``;
}

import { counted } from '../../local/terminal.ts';
import type { BaselineUse } from '../../shared/evaluation/baseline-making.ts';
import type { Gate } from '../../shared/evaluation/gate.ts';
import {
  amountText,
  momentsIn,
  momentText,
  valueText,
  windowText,
} from '../../shared/messages/figure-text.ts';
import { gateText } from '../../shared/messages/gate-text.ts';
import { plainVerdictText } from '../../shared/messages/verdict-text.ts';
import type { FigureRule, Rule } from '../../shared/rules/rule.ts';
import { printable } from '../../shared/runtime/redaction.ts';
import type { Window } from '../../shared/time/window.ts';
import type { ExplainedWindow, Live } from '../../workbench/explain/explanation.ts';
import { safeLines } from '../terminal/safe-lines.ts';
import { tableText } from '../terminal/table.ts';

/**
 * The evaluation of one window of one series, and whether evaluating it again gives the same: sections of
 * lines.
 */
export function windowLines(evaluated: ExplainedWindow, rule: Rule, isVerbose: boolean): string[][] {
  return [
    verdict(evaluated, rule),
    gates(evaluated, rule, isVerbose),
    composition(evaluated, rule),
    readings(evaluated, rule),
    again(evaluated),
    ...(evaluated.live ? [live(evaluated.live, rule)] : []),
  ];
}

function verdict({ window, dueAt, evaluation, outlook, from }: ExplainedWindow, rule: Rule): string[] {
  const { zone } = rule;
  const reason = plainVerdictText(evaluation, rule, momentsIn(zone));
  const made = from === 'kept' ? '' : ', evaluated again from stored readings';
  return [
    `${windowText(window, calendarOf(rule))}: ${evaluation.verdict}${made}`,
    ...safeLines(`  ${reason}`),
    ...safeLines(`  Due at ${momentText(dueAt, zone)}.`),
    ...outlook.flatMap((each) => safeLines(`  It ${each}.`)),
  ];
}

const GATE_COLUMNS = [
  { title: 'GATE', width: 14 },
  { title: '', width: 3 },
  { title: 'WHY', width: 58 },
];

function gates({ evaluation, decisive }: ExplainedWindow, { zone }: Rule, isVerbose: boolean): string[] {
  const rows = evaluation.gates.map((gate) => [
    gate.gate === decisive ? `> ${gate.gate}` : `  ${gate.gate}`,
    gate.passed ? 'yes' : 'NO',
    [printable(gateText(gate, momentsIn(zone))), ...(isVerbose ? figuresOf(gate) : [])].join('\n'),
  ]);
  return [...tableText(GATE_COLUMNS, rows).split('\n'), ...(decisive === null ? [] : ['  > decides'])];
}

/** Times are omitted, because the sentence has them. */
function figuresOf({ gate, figures }: Gate): string[] {
  const shown = Object.entries<number | undefined>(figures).flatMap(([name, value]) =>
    value === undefined || name.endsWith('At') || name === 'settleMinutes'
      ? []
      : [`${nameIn(gate, name)} ${Number(value.toPrecision(5))}`],
  );
  return shown.length === 0 ? [] : [shown.join(', ')];
}

/** The volume gate compares the absolute difference. */
function nameIn(gate: Gate['gate'], name: string): string {
  return gate === 'volume' && name === 'difference' ? 'absolute difference' : name;
}

function composition({ composition, evaluation }: ExplainedWindow, rule: Rule): string[] {
  if (rule.members) return [];
  const { origin, baseline } = evaluation;
  const is = amountText(baseline.value, rule);
  if (origin.of === 'model')
    return safeLines(`Baseline: ${is}, expected for this ${rule.window} of the week`);
  const rows = composition.map(({ window, reading, use }) => [
    `  ${briefly(window, rule)}`,
    shortly(reading?.value ?? null, rule),
    useText(use),
  ]);
  const how = origin.of === 'median' ? `, the median of ${counted(origin.windows, 'week')}` : '';
  const columns = [{ title: `Baseline: ${is}${how}` }, { title: '', align: 'right' as const }, { title: '' }];
  return tableText(columns, rows).split('\n');
}

function useText(use: BaselineUse): string {
  switch (use.kind) {
    case 'used':
      return 'used';
    case 'frozen':
      return 'used: frozen since the breach';
    case 'unread':
      return 'left out: never read';
    case 'holiday':
      return `left out: ${use.name}`;
    default:
      return `left out: ${use.kind}`;
  }
}

function readings({ readings }: ExplainedWindow, rule: Rule): string[] {
  if (rule.members || readings.length === 0) return [];
  const rows = readings.map(({ of, window, readAt, isReread, value }) => [
    `  ${of === 'window' ? '' : 'baseline '}${briefly(window, rule)}`,
    shortly(value, rule),
    `${isReread ? 'again ' : ''}${new Date(readAt).toISOString().slice(0, 16).replace('T', ' ')}`,
  ]);
  const columns = [{ title: 'Readings' }, { title: '', align: 'right' as const }, { title: 'READ (UTC)' }];
  return tableText(columns, rows).split('\n');
}

/** A window evaluated just now has no stored verdict to compare with. */
function again({ again: found, from }: ExplainedWindow): string[] {
  if (from === 'made again' && found.kind === 'unknown') return [];
  switch (found.kind) {
    case 'same':
      return ['Evaluated again from stored readings: the same.'];
    case 'unknown':
      return safeLines(`Evaluated again: ${found.reason}.`);
    case 'differs':
      return [
        `Evaluated again from stored readings: ${found.verdict}, which differs.`,
        ...found.differences.flatMap((each) => safeLines(`  ${each}`)),
        ...found.causes.flatMap((each) => safeLines(`  because ${each}`)),
      ];
  }
}

function live(found: Live, rule: Rule): string[] {
  if (rule.members) return [];
  if (found.kind === 'unread')
    return safeLines(`The service returned no current figure: ${printable(found.reason)}`);
  const { reading, stored, isSame, verdict } = found;
  const now = `The service now returns ${amountText(reading.value, rule)}`;
  if (isSame) return safeLines(`${now}, as stored.`);
  const kept = stored ? amountText(stored.value, rule) : 'nothing';
  return safeLines(
    `${now}; stored is ${kept}: late data arrived. The verdict would be ${verdict ?? 'unknown'}.`,
  );
}

function calendarOf({ window: grain, zone }: Rule) {
  return { grain, zone };
}

/** The header has the zone. */
function briefly(window: Window, rule: Rule): string {
  return windowText(window, calendarOf(rule)).replace(` (${rule.zone})`, '');
}

function shortly(value: number | null, rule: FigureRule): string {
  return value === null ? 'none' : valueText(value, rule);
}

import type { BaselineUse } from '../../shared/evaluation/baseline.ts';
import { evaluationFacts } from '../../shared/messages/facts.ts';
import { figure, percentText, spanText, valueText } from '../../shared/messages/figure-text.ts';
import { changesText, gateText, sumText } from '../../shared/messages/gate-text.ts';
import { healthText } from '../../shared/messages/reason-text.ts';
import { momentText, windowText } from '../../shared/messages/time-text.ts';
import { verdictText } from '../../shared/messages/verdict-text.ts';
import type { Reading } from '../../shared/readings/reading.ts';
import type { FigureRule, Rule } from '../../shared/rules/rule.ts';
import { printable } from '../../shared/runtime/redaction.ts';
import { counted } from '../../shared/text/counted.ts';
import type { Window } from '../../shared/time/window.ts';
import type { ExplainedAlert, Explanation } from '../../workbench/explain/explain-rule.ts';
import type { ExplainedSeries, ExplainedWindow, StoredReading } from '../../workbench/explain/explanation.ts';
import { RIGHT, tableText } from '../terminal/table.ts';
import { safeLines } from '../terminal/wrapping.ts';

/** The explanation in 80 columns. Times are in the rule's zone. */
export function explanationLines(explanation: Explanation, rule: Rule, now: number): string[] {
  const { evaluated } = explanation;
  const sections = [
    head(explanation, rule, now),
    ...(evaluated ? windowSections(evaluated, rule) : []),
    seriesTable(
      'RULE',
      explanation.members.map((each) => ({ ...each, name: each.rule })),
    ),
    segments(explanation),
    messages(explanation, rule),
  ];
  return sections.filter(({ length }) => length > 0).flatMap((lines, i) => (i > 0 ? ['', ...lines] : lines));
}

function head({ rule: facts, segment, alert }: Explanation, rule: Rule, now: number): string[] {
  const { id, title, app, owner, window, zone, bounds, version, meaning } = facts;
  const part = segment === null ? '' : `, ${segment === '' ? '(none)' : segment}`;
  const isOther = alert !== null && alert.meaning !== meaning;
  const hash = isOther
    ? `The rule changed since its last run: ${alert.meaning} then, ${meaning} now. The next run starts it afresh.`
    : `Rule hash: ${meaning}, in rule set ${version.slice(0, SHORT)}.`;
  return [
    ...safeLines(`${id}: ${printable(title)}${printable(part)}`),
    ...safeLines(`  ${owner} watches ${app}, each ${window} of ${zone}; ${bounds}.`),
    ...safeLines(`  ${hash}`),
    ...(alert ? alertLines(alert, rule, now) : ['  It was never evaluated.']),
  ];
}

const SHORT = 12;

/** State of the alert, its acknowledgement, and its health. */
function alertLines(alert: ExplainedAlert, { zone }: Rule, now: number): string[] {
  const { state, sinceAt, evaluatedThroughAt, ails, acknowledged, snoozed, excusedUntilAt, flappingSinceAt } =
    alert;
  const at = (time: number) => momentText(time, zone);
  const said = [
    `State: ${state} since ${at(sinceAt)}; evaluated through ${at(evaluatedThroughAt)}.`,
    flappingSinceAt !== null && `Flapping since ${at(flappingSinceAt)}: no notifications are sent.`,
    ails && `Cannot be evaluated (${ails.kind}) since ${at(ails.sinceAt)}: ${healthText(ails.reason, zone)}`,
    acknowledged && `Acknowledged by ${acknowledged.by}${acknowledged.reason && `: ${acknowledged.reason}`}`,
    snoozed &&
      `Snoozed by ${snoozed.by} until ${snoozed.untilAt === null ? 'it recovers' : at(snoozed.untilAt)}.`,
    excusedUntilAt !== null && excusedUntilAt > now && `Expected until ${at(excusedUntilAt)}.`,
    ...alert.drivers,
  ];
  return said.flatMap((text) => (text ? safeLines(`  ${text}`) : []));
}

function windowSections(evaluated: ExplainedWindow, rule: Rule): string[][] {
  return [
    verdictLines(evaluated, rule),
    gateLines(evaluated, rule),
    ...(rule.members ? [] : [readingLines(evaluated, rule)]),
  ];
}

function verdictLines({ window, dueAt, evaluation, outlook, from, decisive }: ExplainedWindow, rule: Rule) {
  const calendar = { grain: rule.window, zone: rule.zone };
  const by = decisive === null ? '' : `, decided by ${decisive}`;
  const made = from === 'kept' ? '' : ', evaluated from stored readings';
  // The table has the text of a gate.
  const reason = evaluation.reason.code === 'gate' ? '' : verdictText(evaluation, rule.zone);
  return [
    `${windowText(window, calendar)}: ${evaluation.verdict}${by}${made}`,
    ...(reason === '' ? [] : safeLines(`  ${reason}`)),
    ...safeLines(`  Due at ${momentText(dueAt, rule.zone)}.`),
    ...outlook.flatMap((each) => safeLines(`  It ${each}.`)),
  ];
}

function gateLines({ evaluation }: ExplainedWindow, rule: Rule): string[] {
  const columns = { GATE: { width: 12 }, '': { width: 3 }, WHY: { width: 60 } };
  const rows = evaluation.gates.map((gate) => [
    gate.gate,
    gate.passed ? 'yes' : 'NO',
    printable(gateText(gate, rule.zone, rule.members ? undefined : rule)),
  ]);
  return tableText(columns, rows).split('\n');
}

/** The window and the windows of its baseline, each with its use and the times at which it was read. */
function readingLines({ window, readings, baseline, evaluation }: ExplainedWindow, rule: FigureRule) {
  const value = (of: Reading | null | undefined) => (of?.value == null ? 'none' : valueText(of.value, rule));
  const row = (of: Window, reading: Reading | null | undefined, use: string, stored: StoredReading[]) => [
    `  ${windowText(of, { grain: rule.window, zone: rule.zone }).replace(` (${rule.zone})`, '')}`,
    value(reading),
    use,
    stored.map(readText).join('\n'),
  ];
  const columns = { READINGS: {}, '': RIGHT, USE: { width: 12 }, 'READ (UTC)': { width: 17 } };
  const rows = [
    row(window, evaluation.current, 'the window', readings),
    ...baseline.map((each) => row(each.window, each.reading, useText(each.use), each.readings)),
  ];
  return [
    ...evaluationFacts(evaluation, rule).flatMap(({ label, text }) => safeLines(`${label}: ${text}`)),
    ...(evaluation.surprise?.sums ?? []).flatMap((sum) => safeLines(`Sum: ${sumText(sum, rule)}`)),
    ...(evaluation.surprise ? safeLines(`Anomaly from: ${changesText(evaluation.surprise, rule)}`) : []),
    ...tableText(columns, rows).split('\n'),
  ];
}

function readText({ readAt, value, isReread }: StoredReading, i: number, all: StoredReading[]): string {
  const at = new Date(readAt).toISOString().slice(5, 16).replace('T', ' ');
  const isOther = i > 0 && all[i - 1]?.value !== value;
  return `${at}${isReread ? ' again' : ''}${isOther ? `: ${value ?? 'none'}` : ''}`;
}

function useText(use: BaselineUse): string {
  switch (use.kind) {
    case 'used':
      return 'baseline';
    case 'frozen':
      return 'baseline, frozen';
    case 'unread':
      return 'left out: never read';
    case 'holiday':
      return `left out: ${use.name}`;
    default:
      return `left out: ${use.kind}`;
  }
}

function segments({ segments }: Explanation): string[] {
  const named = segments.map((each) => ({ ...each, name: printable(each.segment || '(none)') }));
  if (named.length === 0) return [];
  return [...seriesTable('SEGMENT', named), ...safeLines('  --segment SEGMENT explains one of them')];
}

function seriesTable(title: string, series: (ExplainedSeries & { name: string })[]): string[] {
  if (series.length === 0) return [];
  const amount = (value: number | null) => (value === null ? '-' : figure(value));
  const rows = series.map(({ name, state, verdict, baseline, current, change }) => [
    ...[name, state, verdict ?? '-', amount(baseline), amount(current)],
    change === null ? '-' : percentText(change),
  ]);
  return tableText({ [title]: { width: 24 }, ...SERIES_COLUMNS }, rows).split('\n');
}

const SERIES_COLUMNS = { STATE: {}, VERDICT: {}, BEFORE: RIGHT, NOW: RIGHT, CHANGE: RIGHT };

function messages({ pending, sent }: Explanation, { zone }: Rule): string[] {
  const at = (time: number) => momentText(time, zone);
  return [
    ...pending.flatMap(({ transition, channel, since, dueAt, attempts }) =>
      safeLines(
        `Pending: ${transition} to ${channel}, since ${at(since)}, due ${at(dueAt)}${attempts > 0 ? `, tried ${counted(attempts, 'time')}` : ''}`,
      ),
    ),
    ...sent
      .slice(0, SHOWN)
      .flatMap(({ transition, channel, sentAt, windowEndAt }) =>
        safeLines(
          `Sent: ${transition} to ${channel}, ${at(sentAt)}, ${spanText(sentAt - windowEndAt)} after the window`,
        ),
      ),
  ];
}

const SHOWN = 5;

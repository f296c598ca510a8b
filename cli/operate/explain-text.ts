import { counted } from '../../local/terminal.ts';
import { figure, momentText, percentText, spanText } from '../../shared/alerting/messages/figure-text.ts';
import { healthText } from '../../shared/alerting/messages/health-text.ts';
import type { Rule } from '../../shared/alerting/rules/rule.ts';
import { printable } from '../../shared/runtime/redaction.ts';
import type { ExplainedAlert, ExplainedSeries, Explanation } from '../../workbench/explain/explanation.ts';
import { safeLines } from '../terminal/safe-lines.ts';
import { tableText } from '../terminal/table.ts';
import { windowLines } from './explained-window-text.ts';

interface Telling {
  /** Whether it is told as if the rule had run. */
  isPast?: boolean | undefined;
  /** Whether the figures of each gate are told. */
  isVerbose?: boolean | undefined;
}

/** What is told of a rule, in lines of 80 columns. Times are of the rule's zone. */
export function explanationLines(
  explanation: Explanation,
  rule: Rule,
  now: number,
  { isPast = false, isVerbose = false }: Telling = {},
): string[] {
  const { evaluated } = explanation;
  const sections = [
    head(explanation, rule, now),
    ...(evaluated ? windowLines(evaluated, rule, isVerbose) : []),
    members(explanation),
    segments(explanation),
    messages(explanation, rule, isPast),
  ];
  return sections.filter(({ length }) => length > 0).flatMap((lines, i) => (i > 0 ? ['', ...lines] : lines));
}

function head({ rule: facts, segment, alert }: Explanation, rule: Rule, now: number): string[] {
  const { id, title, app, owner, window, zone, bounds, version, meaning } = facts;
  const part = segment === null ? '' : `, ${segment === '' ? '(none)' : segment}`;
  const isOther = alert !== null && alert.meaning !== meaning;
  const hash = isOther
    ? `It was changed since it was judged: ${alert.meaning} then, ${meaning} now. Its next run judges it afresh.`
    : `${alert ? 'It was judged as it is' : 'Its meaning'}: ${meaning}, of the rules ${version.slice(0, SHORT)}.`;
  return [
    ...safeLines(`${id}: ${printable(title)}${printable(part)}`),
    ...safeLines(`  ${owner} watches ${app}, each ${window} of ${zone}; ${bounds}.`),
    ...safeLines(`  ${hash}`),
    ...(alert ? standing(alert, rule, now) : ['  It was never judged.']),
  ];
}

const SHORT = 12;

/** Where the alert stands, who has it, and how well it can be judged. */
function standing(alert: ExplainedAlert, { zone }: Rule, now: number): string[] {
  const { state, sinceAt, evaluatedThroughAt, ails, acknowledged, snoozed, excusedUntilAt, flappingSinceAt } =
    alert;
  const said = (text: string) => safeLines(`  ${text}`);
  const at = (time: number) => momentText(time, zone);
  return [
    ...said(`It is ${state} since ${at(sinceAt)}; judged through ${at(evaluatedThroughAt)}.`),
    ...(flappingSinceAt === null
      ? []
      : said(`It comes and goes since ${at(flappingSinceAt)}, and nothing is told of it.`)),
    ...(ails
      ? said(`It cannot be judged (${ails.kind}) since ${at(ails.sinceAt)}: ${healthText(ails.reason, at)}`)
      : []),
    ...(acknowledged ? said(`${acknowledged.by} has it: ${acknowledged.reason || 'acknowledged'}`) : []),
    ...(snoozed
      ? said(
          `Snoozed by ${snoozed.by} until ${snoozed.untilAt === null ? 'it recovers' : at(snoozed.untilAt)}.`,
        )
      : []),
    ...(excusedUntilAt !== null && excusedUntilAt > now
      ? said(`To be expected until ${at(excusedUntilAt)}.`)
      : []),
    ...alert.drivers.flatMap((each) => said(each)),
  ];
}

function segments({ segments }: Explanation): string[] {
  if (segments.length === 0) return [];
  const rows = segments.map((each) => [printable(each.segment || '(none)'), ...seriesCells(each)]);
  return [
    ...tableText([{ title: 'SEGMENT', width: 24 }, ...SERIES_COLUMNS], rows).split('\n'),
    ...safeLines('  --segment SEGMENT explains one of them'),
  ];
}

function members({ members }: Explanation): string[] {
  if (members.length === 0) return [];
  const rows = members.map((each) => [each.rule, ...seriesCells(each)]);
  return tableText([{ title: 'RULE', width: 24 }, ...SERIES_COLUMNS], rows).split('\n');
}

const SERIES_COLUMNS = [
  { title: 'STATE' },
  { title: 'VERDICT' },
  { title: 'BEFORE', align: 'right' as const },
  { title: 'NOW', align: 'right' as const },
  { title: 'CHANGE', align: 'right' as const },
];

function seriesCells({ state, verdict, baseline, current, change }: ExplainedSeries): string[] {
  const amount = (value: number | null) => (value === null ? '-' : figure(value));
  return [
    ...[state, verdict ?? '-', amount(baseline), amount(current)],
    change === null ? '-' : percentText(change),
  ];
}

function messages({ pending, notified }: Explanation, { zone }: Rule, isPast: boolean): string[] {
  const at = (time: number) => momentText(time, zone);
  return [
    ...pending.flatMap(({ transition, channel, sinceAt, dueAt, attempts }) =>
      safeLines(
        `${isPast ? 'Would be owed' : 'Owed'}: ${transition} to ${channel}, since ${at(sinceAt)}, due ${at(dueAt)}${attempts > 0 ? `, tried ${counted(attempts, 'time')}` : ''}`,
      ),
    ),
    ...notified
      .slice(0, TOLD)
      .flatMap(({ transition, channel, sentAt, windowEndAt }) =>
        safeLines(
          `${isPast ? 'Would be told' : 'Told'}: ${transition} to ${channel}, ${at(sentAt)}, ${spanText(sentAt - windowEndAt)} after the window`,
        ),
      ),
  ];
}

const TOLD = 5;

import { counted } from '../../local/terminal.ts';
import { figure, momentText, percentText, spanText } from '../../shared/messages/figure-text.ts';
import { healthText } from '../../shared/messages/health-text.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { printable } from '../../shared/runtime/redaction.ts';
import type { ExplainedAlert, ExplainedSeries, Explanation } from '../../workbench/explain/explanation.ts';
import { safeLines } from '../terminal/safe-lines.ts';
import { tableText } from '../terminal/table.ts';
import { windowLines } from './explained-window-text.ts';

interface Telling {
  /** Whether the rule was only replayed. */
  isPast?: boolean | undefined;
  /** Whether to include the figures of each gate. */
  isVerbose?: boolean | undefined;
}

/** The explanation in 80 columns. Times are in the rule's zone. */
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
  const said = (text: string) => safeLines(`  ${text}`);
  const at = (time: number) => momentText(time, zone);
  return [
    ...said(`State: ${state} since ${at(sinceAt)}; evaluated through ${at(evaluatedThroughAt)}.`),
    ...(flappingSinceAt === null
      ? []
      : said(`Flapping since ${at(flappingSinceAt)}: no notifications are sent.`)),
    ...(ails
      ? said(`Cannot be evaluated (${ails.kind}) since ${at(ails.sinceAt)}: ${healthText(ails.reason, at)}`)
      : []),
    ...(acknowledged
      ? said(`Acknowledged by ${acknowledged.by}${acknowledged.reason && `: ${acknowledged.reason}`}`)
      : []),
    ...(snoozed
      ? said(
          `Snoozed by ${snoozed.by} until ${snoozed.untilAt === null ? 'it recovers' : at(snoozed.untilAt)}.`,
        )
      : []),
    ...(excusedUntilAt !== null && excusedUntilAt > now ? said(`Expected until ${at(excusedUntilAt)}.`) : []),
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

function messages({ pending, sent }: Explanation, { zone }: Rule, isPast: boolean): string[] {
  const at = (time: number) => momentText(time, zone);
  return [
    ...pending.flatMap(({ transition, channel, sinceAt, dueAt, attempts }) =>
      safeLines(
        `${isPast ? 'Would be pending' : 'Pending'}: ${transition} to ${channel}, since ${at(sinceAt)}, due ${at(dueAt)}${attempts > 0 ? `, tried ${counted(attempts, 'time')}` : ''}`,
      ),
    ),
    ...sent
      .slice(0, SHOWN)
      .flatMap(({ transition, channel, sentAt, windowEndAt }) =>
        safeLines(
          `${isPast ? 'Would be sent' : 'Sent'}: ${transition} to ${channel}, ${at(sentAt)}, ${spanText(sentAt - windowEndAt)} after the window`,
        ),
      ),
  ];
}

const SHOWN = 5;

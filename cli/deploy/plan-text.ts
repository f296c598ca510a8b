import { heading } from '../../local/colour.ts';
import type { FieldChange, NamedChange } from '../../shared/rules/field-changes.ts';
import { printable } from '../../shared/runtime/redaction.ts';
import { counted } from '../../shared/text/counted.ts';
import { minuteText } from '../terminal/times.ts';
import { safeLines } from '../terminal/wrapping.ts';
import type { DeploymentPlan, PlannedRule } from './deployment-plan.ts';

/** Listed alerts; the rest is a number. */
const NAMED = 3;

/** Filters can be long; `--json` has the whole list. */
const LONGEST = 60;

const MARKS = { added: '+', changed: '~', removed: '-' } as const;

/** What would change, for a terminal; the last line is a summary. */
export function planLines(plan: DeploymentPlan): string[] {
  const { rules, routes, redirected, cadences, unreadable } = plan;
  const of = (change: NamedChange['change']) => rules.filter((each) => each.change === change);
  const sections: [title: string, lines: string[]][] = [
    ['The deployed rules cannot be read', unreadable === null ? [] : unreadableLines(unreadable)],
    ['Added', of('added').flatMap(changeLines)],
    [
      'Changed; alerts restart',
      of('changed')
        .filter((each) => each.startsOver)
        .flatMap(changeLines),
    ],
    [
      'Changed; alerts continue',
      of('changed')
        .filter((each) => !each.startsOver)
        .flatMap(changeLines),
    ],
    ['Removed', of('removed').flatMap(changeLines)],
    [
      'Channels and routes',
      [
        ...routes.flatMap(changeLines),
        ...redirected.map(
          ({ rule, before, after }) => `~ ${rule}: ${before.join(', ')} -> ${after.join(', ')}`,
        ),
      ],
    ],
    ['Schedules', cadences.flatMap(changeLines)],
  ];
  return [
    ...sections.flatMap(([title, lines]) =>
      lines.length === 0 ? [] : [heading(title), ...lines.map((line) => `  ${line}`), ''],
    ),
    ...safeLines(summaryOf(plan)),
  ];
}

/** "Rules: 1 added, 2 changed, 0 removed, 21 unchanged." */
function summaryOf({ changes, rules, unchanged, from }: DeploymentPlan): string {
  if (!changes) return `Nothing would change: these rules are deployed${sinceText(from)}.`;
  const count = (change: NamedChange['change']) => rules.filter((each) => each.change === change).length;
  return `Rules: ${count('added')} added, ${count('changed')} changed, ${count('removed')} removed, ${unchanged} unchanged.`;
}

function sinceText(from: DeploymentPlan['from']): string {
  const since = from?.since ? ` since ${minuteText(Date.parse(from.since))}` : '';
  return `${since}${from?.by ? `, by ${from.by}` : ''}`;
}

function unreadableLines(why: string): string[] {
  const all = 'All rules count as added. Open alerts of rules that are not among them will end.';
  return [why, all].flatMap((text) => safeLines(`  ${text}`).map((line) => line.slice(2)));
}

function changeLines(each: NamedChange | PlannedRule): string[] {
  return [
    `${MARKS[each.change]} ${each.name}`,
    ...each.fields.flatMap(fieldLines).map((line) => `    ${line}`),
    ...('open' in each ? openLines(each) : []),
  ];
}

function openLines({ open, change, startsOver }: PlannedRule): string[] {
  if (open.length === 0) return [];
  const names = open.slice(0, NAMED).map(({ segment, state, since }) => {
    const of = segment === null ? '' : `${printable(segment)} `;
    return `${of}${state} since ${minuteText(Date.parse(since))}`;
  });
  const more = open.length > NAMED ? [`and ${open.length - NAMED} more`] : [];
  const does =
    change === 'removed' ? 'will end, with a message' : startsOver ? 'will restart' : 'will continue';
  return [
    `    ${counted(open.length, 'open alert')} ${does}:`,
    ...[...names, ...more].map((each) => `      ${each}`),
  ];
}

function fieldLines({ field, before, after }: FieldChange): string[] {
  if (before === undefined) return [`${field}: ${shortened(after ?? '')} (new)`];
  if (after === undefined) return [`${field}: ${shortened(before)} (removed)`];
  const [was, is] = [`${field}: ${shortened(before)}`, `-> ${shortened(after)}`];
  return was.length + is.length < LONGEST ? [`${was} ${is}`] : [was, `  ${is}`];
}

function shortened(text: string): string {
  const line = printable(text);
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
}

import { doubtful, heading } from '../../local/colour.ts';
import type { FieldChange, NamedChange } from '../../shared/rules/field-changes.ts';
import { printable } from '../../shared/runtime/redaction.ts';
import { counted } from '../../shared/text/counted.ts';
import { minuteText } from '../terminal/minute-text.ts';
import { safeLines, wrapped } from '../terminal/wrapping.ts';
import { refusalOf } from './deployed-rules.ts';
import type { DeploymentPlan, PlannedAlert, PlannedChange, RemovedRule } from './deployment-plan.ts';

/** Listed alerts; the rest is a number. */
const NAMED = 3;

/** Filters can be long; `--json` has the whole list. */
const LONGEST = 60;

const MARKS = { added: '+', changed: '~', removed: '-' } as const;

/** What would change, for a terminal; the last line is a summary. */
export function planLines(plan: DeploymentPlan): string[] {
  return [
    ...sections(plan).flatMap(({ title, lines, isProse = false }) => [
      heading(title),
      ...lines.map((line) => `  ${line}`).flatMap((line) => (isProse ? wrapped(line, 4) : line)),
      '',
    ]),
    ...safeLines(summaryOf(plan)),
    ...departureLines(plan),
  ];
}

/** The same as a pull request comment. */
export function planMarkdown(plan: DeploymentPlan): string {
  const parts = sections(plan).map(
    ({ title, lines }) => `**${title}**\n\n\`\`\`\n${lines.join('\n')}\n\`\`\`\n`,
  );
  const refusal = refusalOf(plan);
  const refused = refusal === undefined ? [] : ['', '**Cannot be deployed yet**', '', '```', refusal, '```'];
  return [
    ...['### What these rules would change', '', ...parts, summaryOf(plan)],
    ...departureOf(plan).map((said) => `\n**${said}**`),
    ...refused,
  ].join('\n');
}

/** "Rules: 1 added, 2 changed, 0 removed, 21 unchanged." */
function summaryOf({ changes, rules, from }: DeploymentPlan): string {
  if (!changes) return `Nothing would change: these rules are deployed${sinceText(from)}.`;
  const { added, changed, removed, unchanged, reordered } = rules;
  const order = reordered ? ', and their order changes' : '';
  return `Rules: ${added.length} added, ${changed.length} changed, ${removed.length} removed, ${unchanged} unchanged${order}.`;
}

/** Warns if most deployed rules would be removed: the folder is probably wrong. Renamed rules do not count. */
function departureOf({ rules }: DeploymentPlan): string[] {
  const { removed, changed, unchanged, renamed } = rules;
  const gone = removed.length - renamed.length;
  const all = removed.length + changed.length + unchanged;
  if (gone * 2 <= all) return [];
  return [
    `Warning: ${gone} of the ${counted(all, 'deployed rule')} would be removed. Is this the right folder? Use --rules for another.`,
  ];
}

function departureLines(plan: DeploymentPlan): string[] {
  return departureOf(plan).flatMap((said) => ['', ...wrapped(doubtful(printable(said)))]);
}

function sinceText(from: DeploymentPlan['from']): string {
  const since = from?.since ? ` since ${minuteText(Date.parse(from.since))}` : '';
  return `${since}${from?.by ? `, by ${printable(from.by)}` : ''}`;
}

interface Section {
  title: string;
  lines: string[];
  /** Sentences, wrapped between words. */
  isProse?: true;
}

function sections(plan: DeploymentPlan): Section[] {
  const { added, changed, removed, renamed } = plan.rules;
  const all: Section[] = [
    { title: 'The deployed rules cannot be read', lines: unreadableLines(plan), isProse: true },
    { title: 'Added', lines: added.map(({ id, every, zone }) => `+ ${id}: every ${every} (${zone})`) },
    {
      title: 'Changed; alerts restart',
      lines: changed.filter((each) => each.startsOver).flatMap(changeLines),
    },
    {
      title: 'Changed; alerts continue',
      lines: changed.filter((each) => !each.startsOver).flatMap(changeLines),
    },
    { title: 'Removed', lines: removed.flatMap(removedLines) },
    {
      title: 'Renamed? A new id is a new rule: it starts afresh',
      lines: renamed.map(({ from, to }) => `${from} -> ${to}`),
    },
    { title: 'Channels and routes', lines: hearingLines(plan) },
    { title: 'Schedules', lines: scheduleLines(plan) },
  ];
  return all.filter(({ lines }) => lines.length > 0);
}

function unreadableLines({ unreadable }: DeploymentPlan): string[] {
  if (unreadable === null) return [];
  return [
    printable(unreadable),
    'All rules count as added. Open alerts of rules that are not among them will end.',
  ];
}

function changeLines({ id, fields, open, startsOver }: PlannedChange): string[] {
  const end = startsOver ? 'restarts' : 'continues';
  const ends = startsOver ? 'restart' : 'continue';
  return [
    `~ ${id}`,
    ...fields.flatMap(fieldLines).map((line) => `    ${line}`),
    ...openLines(open, end, ends),
  ];
}

function removedLines({ id, open }: RemovedRule): string[] {
  return [
    `- ${id}`,
    ...openLines(open, 'ends; its channels are notified', 'end; their channels are notified'),
  ];
}

function openLines(open: PlannedAlert[], one: string, many: string): string[] {
  if (open.length === 0) return [];
  const names = open.slice(0, NAMED).map(({ segment, state, since }) => {
    const of = segment === null ? '' : `${printable(segment)} `;
    return `${of}${state} since ${minuteText(Date.parse(since))}`;
  });
  const more = open.length > NAMED ? [`and ${open.length - NAMED} more`] : [];
  const what = `${counted(open.length, 'open alert')} ${open.length === 1 ? one : many}:`;
  return [`    ${what}`, ...[...names, ...more].map((each) => `      ${each}`)];
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

function hearingLines({
  channels,
  calendars,
  routes,
  routesReordered,
  digest,
  redirected,
}: DeploymentPlan): string[] {
  const named = (what: string, each: NamedChange[]) =>
    each.flatMap(({ name, change, fields }) => [
      `${MARKS[change]} ${what} ${name}`,
      ...fields.flatMap(fieldLines).map((line) => `    ${line}`),
    ]);
  return [
    ...named('channel', channels),
    ...named('calendar', calendars),
    ...named('route', routes),
    ...(routesReordered ? ['~ the order of the routes'] : []),
    ...named('digest', digest),
    ...redirected.map(({ rule, before, after }) => `~ ${rule}: ${before.join(', ')} -> ${after.join(', ')}`),
  ];
}

function scheduleLines({ cadences, stack }: DeploymentPlan): string[] {
  const text = ({ every, zone }: { every: string; zone: string }) => `every ${every} (${zone})`;
  // A schedule without rules never runs a query; only a stack deployment removes it.
  const idle = stack === null ? '' : ': idle until the next deployment of the stack';
  return [
    ...cadences.added.map((each) => `+ ${text(each)}`),
    ...cadences.removed.map((each) => `- ${text(each)}${idle}`),
  ];
}

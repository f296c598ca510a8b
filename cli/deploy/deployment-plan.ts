import { heading } from '../../local/colour.ts';
import type { OpenAlert } from '../../shared/alerts/open-alert.ts';
import { type Deployment, missingIn } from '../../shared/deployments/deployment.ts';
import { ruleChanges } from '../../shared/deployments/rule-changes.ts';
import type { Deployed, RuleSet } from '../../shared/deployments/rule-store.ts';
import { type Routes, routesAtAnyTime, settingsOf } from '../../shared/notifications/routes.ts';
import { isOpenOrFlapping } from '../../shared/responding/alert-status.ts';
import { type FieldChange, type NamedChange, namedChanges } from '../../shared/rules/field-changes.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { printable } from '../../shared/runtime/redaction.ts';
import { counted } from '../../shared/text/counted.ts';
import { iso } from '../../shared/time/iso.ts';
import { minuteText } from '../terminal/times.ts';
import { safeLines } from '../terminal/wrapping.ts';

/** Listed alerts; the rest is a number. */
const NAMED = 3;

/** Filters can be long; `--json` has the whole list. */
const LONGEST = 60;

const MARKS = { added: '+', changed: '~', removed: '-' } as const;

/** What would change, for a terminal; the last line is a summary. */
export function planLines(plan: DeploymentPlan): string[] {
  const { rules, routes, redirected, cadences, unreadable } = plan;
  const of = (change: NamedChange['change']) => rules.filter((each) => each.change === change);
  const { restart = [], goOn = [] } = Object.groupBy(of('changed'), ({ startsOver }) =>
    startsOver ? 'restart' : 'goOn',
  );
  const sections: [title: string, lines: string[]][] = [
    ['The deployed rules cannot be read', unreadable === null ? [] : unreadableLines(unreadable)],
    ['Added', of('added').flatMap(changeLines)],
    ['Changed; alerts restart', restart.flatMap(changeLines)],
    ['Changed; alerts continue', goOn.flatMap(changeLines)],
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

/** The input of a plan, all read at the same time. */
export interface DeployedState {
  deployed: Deployed | undefined;
  /** The deployed rule set; `undefined` before the first deployment, or if it cannot be read. */
  current: RuleSet | undefined;
  /** Why it cannot be read. */
  unreadable?: string | undefined;
  open: OpenAlert[];
  /** The deployed resources; `undefined` for a local installation. */
  deployment: Deployment | undefined;
}

/** What deploying rules would change, as printed with `--json`. Times are ISO in UTC. */
export type DeploymentPlan = ReturnType<typeof deploymentPlan>;
type PlannedRule = DeploymentPlan['rules'][number];

const NO_ROUTES: Routes = { channels: {}, calendars: {}, default: [], routes: [] };

export function deploymentPlan(ruleSet: RuleSet, state: DeployedState) {
  const { deployed, deployment } = state;
  const { rules: before, routes: was } = state.current ?? { rules: [], routes: NO_ROUTES };
  const { rules: after, routes: is } = ruleSet;
  const rules = ruleChanges(before, after);
  return {
    /** The deployed rule set; `null` before the first deployment. */
    from: deployed ? { version: deployed.version, since: iso(deployed.sinceAt), by: deployed.by } : null,
    to: ruleSet.version,
    /** Why the deployed rules cannot be read, else `null`. Then every rule counts as added. */
    unreadable: state.unreadable ?? null,
    changes: deployed?.version !== ruleSet.version,
    /** `open` alerts end with a removed rule, restart if it starts over, and continue otherwise. */
    rules: rules.map((each) => ({ ...each, open: openOf(each.name, state.open) })),
    /** The number of equal rules. */
    unchanged: after.length - rules.filter(({ change }) => change !== 'removed').length,
    routes: namedChanges(settingsIn(was, is), settingsIn(is, was)),
    /** Rules that stay and notify other channels. Routes that match segments may differ further. */
    redirected: after
      .filter(({ id }) => before.some((each) => each.id === id))
      .map((rule) => ({ rule: rule.id, before: channelsOf(rule, was), after: channelsOf(rule, is) }))
      .filter((each) => each.before.join() !== each.after.join()),
    cadences: namedChanges(cadencesIn(before), cadencesIn(after)),
    /** Resources that only a deployment of the stack creates. With any, the rules are refused. */
    missing: deployment ? missingIn(deployment, ruleSet) : [],
    stack: deployment?.stack ?? null,
  };
}

/** An alert whose only problem is that it cannot be evaluated is not open. */
function openOf(rule: string, open: OpenAlert[]) {
  return open
    .filter((alert) => alert.ruleId === rule && (isOpenOrFlapping({ alert }) || alert.state === 'pending'))
    .map(({ segment, state, stateSinceAt, flappingSinceAt }) => ({
      segment,
      state: flappingSinceAt === null ? state : 'flapping',
      since: iso(flappingSinceAt ?? stateSinceAt),
    }));
}

/** The order of the routes that `other` has too matters: the first match wins. */
function settingsIn(routes: Routes, other: Routes): Record<string, object> {
  const { channels, calendars, digest } = routes;
  const order = routes.routes
    .map(({ name }) => name)
    .filter((name) => other.routes.some((each) => each.name === name));
  return Object.fromEntries<object>([
    ...Object.entries(channels).map(([name, channel]): [string, object] => [`channel ${name}`, channel]),
    ...Object.entries(calendars).map(([name, calendar]): [string, object] => [`calendar ${name}`, calendar]),
    ...routes.routes.map(({ name, ...settings }): [string, object] => [`route ${name}`, settings]),
    ['route default', settingsOf('default', routes)],
    ['the order of the routes', { routes: order }],
    ...(digest
      ? [[`digest every ${digest.every} (${digest.zone})`, { channels: digest.channels }] as const]
      : []),
  ]);
}

/** The channels that the rule notifies at some time. */
function channelsOf(rule: Rule, routes: Routes): string[] {
  return [...new Set(routesAtAnyTime(rule, routes).flatMap(({ channels }) => channels))];
}

function cadencesIn(rules: Rule[]): Record<string, object> {
  return Object.fromEntries(rules.map(({ every, zone }) => [`every ${every} (${zone})`, {}]));
}

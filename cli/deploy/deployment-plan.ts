import type { OpenAlert } from '../../shared/alerts/open-alert.ts';
import { type Deployment, missingIn, type Need } from '../../shared/deployments/deployment.ts';
import { type RuleChange, ruleChanges } from '../../shared/deployments/rule-changes.ts';
import type { Deployed, RuleSet } from '../../shared/deployments/rule-store.ts';
import { type Routes, routesAtAnyTime, settingsOf } from '../../shared/notifications/routes.ts';
import { isOpenOrFlapping } from '../../shared/responding/alert-status.ts';
import { type NamedChange, namedChanges } from '../../shared/rules/field-changes.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { iso } from '../../shared/time/iso.ts';

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

/** An open alert; `since` is an ISO time in UTC. */
interface PlannedAlert {
  segment: string | null;
  state: string;
  since: string;
}

/** `open`: the open alerts. They end with a removed rule, restart if it starts over, and continue otherwise. */
export type PlannedRule = RuleChange & { open: PlannedAlert[] };

/** What deploying rules would change, as printed with `--json`. Times are ISO in UTC. */
export interface DeploymentPlan {
  /** The deployed rule set; `null` before the first deployment. */
  from: { version: string; since: string | null; by: string | null } | null;
  to: string;
  /** Why the deployed rules cannot be read, else `null`. Then every rule counts as added. */
  unreadable: string | null;
  /** Whether anything would change. */
  changes: boolean;
  rules: PlannedRule[];
  /** The number of equal rules. */
  unchanged: number;
  /** Channels, calendars, routes and the digest, such as "channel night". */
  routes: NamedChange[];
  /** Rules that stay and notify other channels. Routes that match segments may differ further. */
  redirected: { rule: string; before: string[]; after: string[] }[];
  /** Cadences that gain a first rule or lose the last one. */
  cadences: NamedChange[];
  /** Resources that the rules need and only a stack deployment creates. With any, the rules are refused. */
  missing: Need[];
  stack: string | null;
}

const NO_ROUTES: Routes = { channels: {}, calendars: {}, default: [], routes: [] };

export function deploymentPlan(ruleSet: RuleSet, state: DeployedState): DeploymentPlan {
  const { deployed, deployment } = state;
  const { rules: before, routes: was } = state.current ?? { rules: [], routes: NO_ROUTES };
  const { rules: after, routes: is } = ruleSet;
  const rules = ruleChanges(before, after);
  return {
    from: deployed ? { version: deployed.version, since: iso(deployed.sinceAt), by: deployed.by } : null,
    to: ruleSet.version,
    unreadable: state.unreadable ?? null,
    changes: deployed?.version !== ruleSet.version,
    rules: rules.map((each) => ({ ...each, open: openOf(each.name, state.open) })),
    unchanged: after.length - rules.filter(({ change }) => change !== 'removed').length,
    routes: namedChanges(settingsIn(was, is), settingsIn(is, was)),
    redirected: after
      .filter(({ id }) => before.some((each) => each.id === id))
      .map((rule) => ({ rule: rule.id, before: channelsOf(rule, was), after: channelsOf(rule, is) }))
      .filter((each) => each.before.join() !== each.after.join()),
    cadences: namedChanges(cadencesIn(before), cadencesIn(after)),
    missing: deployment ? missingIn(deployment, ruleSet) : [],
    stack: deployment?.stack ?? null,
  };
}

/** An alert whose only problem is that it cannot be evaluated is not open. */
function openOf(rule: string, open: OpenAlert[]): PlannedAlert[] {
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

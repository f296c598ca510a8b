import type { OpenAlert } from '../../shared/alerts/open-alert.ts';
import type { Deployment } from '../../shared/deployments/deployment.ts';
import { missingIn, type Need } from '../../shared/deployments/deployment.ts';
import { type RouteChanges, routeChanges } from '../../shared/deployments/route-changes.ts';
import {
  type CadenceChanges,
  cadenceChanges,
  type RuleChanges,
  ruleChanges,
} from '../../shared/deployments/rule-changes.ts';
import type { Deployed, RuleSet } from '../../shared/deployments/rule-store.ts';
import type { Routes } from '../../shared/notifications/routes.ts';
import { isOpenOrFlapping } from '../../shared/responding/alert-status.ts';
import type { FieldChange } from '../../shared/rules/field-changes.ts';
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
export interface PlannedAlert {
  segment: string | null;
  state: string;
  since: string;
}

interface NamedRule {
  id: string;
  title: string;
}

interface AddedRule extends NamedRule {
  app: string;
  owner: string;
  severity: string;
  every: string;
  zone: string;
}

/** `open`: the open alerts. They restart if the change resets the rule; otherwise they continue. */
export interface PlannedChange extends NamedRule {
  startsOver: boolean;
  fields: FieldChange[];
  open: PlannedAlert[];
}

/** `open`: the alerts that end; their channels are notified. */
export interface RemovedRule extends NamedRule {
  open: PlannedAlert[];
}

/** What deploying rules would change, as printed with `--json`. Times are ISO in UTC. */
export interface DeploymentPlan extends RouteChanges {
  /** The deployed rule set; `null` before the first deployment. */
  from: { version: string; since: string | null; by: string | null } | null;
  to: string;
  /** Why the deployed rules cannot be read, else `null`. Then every rule counts as added. */
  unreadable: string | null;
  /** Whether anything would change. */
  changes: boolean;
  rules: {
    added: AddedRule[];
    changed: PlannedChange[];
    removed: RemovedRule[];
    unchanged: number;
    /** Whether the order of the unchanged rules differs. */
    reordered: boolean;
    /** A removed and an added rule that differ only in id and title. */
    renamed: { from: string; to: string }[];
  };
  cadences: CadenceChanges;
  /** Resources that the rules need and only a stack deployment creates. With any, the rules are refused. */
  missing: Need[];
  stack: string | null;
}

const NO_ROUTES: Routes = { channels: {}, calendars: {}, default: [], routes: [] };

export function deploymentPlan(ruleSet: RuleSet, state: DeployedState): DeploymentPlan {
  const { current, deployed, deployment } = state;
  const rules = ruleChanges(current?.rules ?? [], ruleSet.rules);
  const staying = ruleSet.rules.filter((rule) => !rules.added.includes(rule));
  return {
    from: deployed ? { version: deployed.version, since: iso(deployed.sinceAt), by: deployed.by } : null,
    to: ruleSet.version,
    unreadable: state.unreadable ?? null,
    changes: deployed?.version !== ruleSet.version,
    rules: plannedRules(rules, state.open),
    cadences: cadenceChanges(current?.rules ?? [], ruleSet.rules),
    ...routeChanges(current?.routes ?? NO_ROUTES, ruleSet.routes, staying),
    missing: deployment ? missingIn(deployment, ruleSet) : [],
    stack: deployment?.stack ?? null,
  };
}

function plannedRules(rules: RuleChanges, open: OpenAlert[]): DeploymentPlan['rules'] {
  const openOf = ({ id }: Rule) => open.filter(({ ruleId }) => ruleId === id).flatMap(plannedAlert);
  return {
    added: rules.added.map(({ id, title, app, owner, severity, every, zone }) => ({
      ...{ id, title, app, owner, severity, every, zone },
    })),
    changed: rules.changed.map(({ after, fields, startsOver }) => ({
      ...{ id: after.id, title: after.title, startsOver, fields, open: openOf(after) },
    })),
    removed: rules.removed.map((rule) => ({ id: rule.id, title: rule.title, open: openOf(rule) })),
    unchanged: rules.unchanged,
    reordered: rules.isReordered,
    renamed: rules.renamed.map(({ before, after }) => ({ from: before.id, to: after.id })),
  };
}

/** An alert whose only problem is that it cannot be evaluated is not open. */
function plannedAlert(alert: OpenAlert): PlannedAlert[] {
  if (!isOpenOrFlapping({ alert }) && alert.state !== 'pending') return [];
  const { segment, state, stateSinceAt, flappingSinceAt } = alert;
  const isFlapping = flappingSinceAt !== null;
  const since = new Date(flappingSinceAt ?? stateSinceAt).toISOString();
  return [{ segment, state: isFlapping ? 'flapping' : state, since }];
}

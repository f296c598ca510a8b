import * as z from 'zod';
import { type ChannelConfig, hasButtons, rightsOf, secretsOf } from '../channels/kinds.ts';
import { cadenceName } from '../time/cadence.ts';
import type { RuleSet } from './rule-store.ts';

/**
 * The version of the format in which rules and routes are stored. Raise it with every new key, and when `buildRule` makes
 * another rule of an entry: code of this version trusts rules of this format, and parses all others.
 */
export const RULE_FORMAT = 8;

export const deploymentSchema = z.object({
  /** The name of its stack. */
  stack: z.string(),
  /** Names of the cadences that have a schedule. */
  cadences: z.array(z.string()),
  /** Names of the secrets that the notifier may read, and the targets that it may send to. */
  secrets: z.array(z.string()),
  targets: z.array(z.string()),
  /** Whether the endpoint for the buttons of Slack is deployed. */
  hasButtons: z.boolean(),
  /** `RULE_FORMAT` of its code. */
  ruleFormat: z.number(),
});
/** What a deployment to AWS set up. Rules that need more require another deployment. */
export type Deployment = z.infer<typeof deploymentSchema>;

export function deploymentFor(ruleSet: RuleSet, about: Pick<Deployment, 'stack' | 'hasButtons'>): Deployment {
  const needs = needsOf(ruleSet);
  const namesOf = (kind: Need['kind']) => needs.filter((need) => need.kind === kind).map(({ name }) => name);
  return {
    ...about,
    cadences: namesOf('cadence'),
    secrets: namesOf('secret'),
    targets: namesOf('target'),
    ruleFormat: RULE_FORMAT,
  };
}

/** Something that only a deployment can set up. `by`: the rules or channels that need it; empty for `code`. */
export interface Need {
  kind: 'cadence' | 'secret' | 'target' | 'buttons' | 'code';
  name: string;
  by: string[];
}

/** What the rules need and `deployment` did not set up. */
export function missingIn(deployment: Deployment, ruleSet: RuleSet): Need[] {
  return needsOf(ruleSet).filter((need) => !isSetUp(need, deployment));
}

function isSetUp({ kind, name }: Need, deployment: Deployment): boolean {
  const { cadences, secrets, targets, hasButtons, ruleFormat } = deployment;
  switch (kind) {
    case 'cadence':
      return cadences.includes(name);
    case 'secret':
      return secrets.includes(name);
    case 'target':
      return targets.includes(name);
    case 'buttons':
      return hasButtons;
    case 'code':
      return Number(name) <= ruleFormat;
  }
}

function needsOf({ rules, routes }: RuleSet): Need[] {
  const channels = Object.entries(routes.channels);
  const single: Need[] = [
    { kind: 'code', name: String(RULE_FORMAT), by: [] },
    ...rules.map(({ id, cadence }): Need => ({ kind: 'cadence', name: cadenceName(cadence), by: [id] })),
    ...channels.flatMap(([channel, config]) => needsOfChannel(channel, config)),
  ];
  const same = Map.groupBy(single, ({ kind, name }) => JSON.stringify([kind, name]));
  return [...same.values()].flatMap((needs) => {
    const [first] = needs;
    return first ? [{ ...first, by: needs.flatMap(({ by }) => by) }] : [];
  });
}

function needsOfChannel(channel: string, config: ChannelConfig): Need[] {
  const by = [channel];
  return [
    ...secretsOf(config).map(({ name }): Need => ({ kind: 'secret', name, by })),
    ...rightsOf(config).map(({ target }): Need => ({ kind: 'target', name: target, by })),
    ...(hasButtons(config) ? [{ kind: 'buttons' as const, name: channel, by }] : []),
  ];
}

/** Stores what the last deployment of the functions set up. */
export interface DeploymentStore {
  save(deployment: Deployment): Promise<void>;
  /** `undefined` before the first deployment, and always in local mode, which needs no set-up. */
  load(): Promise<Deployment | undefined>;
}

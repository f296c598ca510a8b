import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod';
import { AlertingStack } from '../../infra/alerting-stack.ts';
import { FUNCTIONS } from '../../infra/bundles.ts';
import { STAGES, type Stage } from '../../infra/stages.ts';
import { StateStack } from '../../infra/state-stack.ts';
import type { RuleSet } from '../../shared/alerting/ports.ts';

const resourcesSchema = z.record(
  z.string(),
  z.object({
    Type: z.string(),
    Properties: z.record(z.string(), z.unknown()).default({}),
    DeletionPolicy: z.string().optional(),
  }),
);
export type Resource = z.output<typeof resourcesSchema>[string] & { id: string };

const statementSchema = z.object({
  Effect: z.enum(['Allow', 'Deny']),
  Action: z.union([z.string().transform((one) => [one]), z.array(z.string())]),
  Resource: z.unknown(),
});
export type Statement = z.output<typeof statementSchema>;

export interface Synthesized {
  stage: Stage;
  state: Template;
  alerting: Template;
  resources: Resource[];
}

/** The stacks of every stage with these rules, in place of whose bundles stand files of one line. */
export function synthesize(ruleSet: RuleSet): Synthesized[] {
  const bundles = mkdtempSync(join(tmpdir(), 'bundles-'));
  for (const name of FUNCTIONS) {
    mkdirSync(join(bundles, name));
    writeFileSync(join(bundles, name, 'index.mjs'), `export const handler = () => '${name}';`);
  }
  const { context } = z
    .object({ context: z.record(z.string(), z.unknown()) })
    .parse(JSON.parse(readFileSync('cdk.json', 'utf8')));
  const app = new App({ context, analyticsReporting: false, outdir: join(bundles, 'cdk.out') });
  const stacks = STAGES.map((stage) => {
    const state = new StateStack(app, `deltawatch-${stage.name}-state`, { stage });
    const { table } = state;
    const id = `deltawatch-${stage.name}-alerting`;
    return { stage, state, alerting: new AlertingStack(app, id, { stage, table, ruleSet, bundles }) };
  });
  const synthesized = stacks.map(({ stage, ...stack }) => {
    const [state, alerting] = [Template.fromStack(stack.state), Template.fromStack(stack.alerting)];
    return { stage, state, alerting, resources: [...resourcesOf(state), ...resourcesOf(alerting)] };
  });
  rmSync(bundles, { recursive: true });
  return synthesized;
}

function resourcesOf(template: Template): Resource[] {
  const resources = resourcesSchema.parse(template.toJSON().Resources);
  return Object.entries(resources).map(([id, resource]) => ({ ...resource, id }));
}

/** What the roles of `resources` may do. */
export function statementsOf(resources: Resource[]): Statement[] {
  const document = z.object({ Statement: z.array(statementSchema) });
  const inline = z.array(z.object({ PolicyDocument: document })).default([]);
  return resources.flatMap(({ Type, Properties }) => {
    if (Type === 'AWS::IAM::Policy') return document.parse(Properties.PolicyDocument).Statement;
    if (Type !== 'AWS::IAM::Role') return [];
    return inline.parse(Properties.Policies).flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
  });
}

/** The template without what changes with every line of code: the hashes of bundles. */
export function withoutHashes(template: Template): unknown {
  const text = JSON.stringify(template.toJSON());
  return JSON.parse(
    text.replaceAll(/[0-9a-f]{64}/g, 'HASH').replaceAll(/(CurrentVersion[0-9A-F]{8})[0-9a-f]{32}/g, '$1'),
  );
}

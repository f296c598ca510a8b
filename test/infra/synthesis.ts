import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod';
import { FUNCTIONS } from '../../infra/function-bundles.ts';
import { stageApp } from '../../infra/stage-app.ts';
import type { Stage } from '../../shared/config/stage.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import { STAGES } from '../fixtures/stages.ts';

const resourcesSchema = z.record(
  z.string(),
  z.object({
    Type: z.string(),
    Properties: z.record(z.string(), z.unknown()).default({}),
    DeletionPolicy: z.string().optional(),
    DependsOn: z.array(z.string()).optional(),
  }),
);
export type Resource = z.output<typeof resourcesSchema>[string] & { id: string };

const statementSchema = z.object({
  Effect: z.enum(['Allow', 'Deny']),
  Action: z.union([z.string().transform((one) => [one]), z.array(z.string())]),
  Resource: z.unknown(),
  Condition: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
});
export type Statement = z.output<typeof statementSchema>;

/** `data` and `dataAccess` exist only in a stage with its own data access service, `tables` only over tables. */
interface Templates {
  state: Template;
  respond: Template;
  alerting: Template;
  data?: Template;
  dataAccess?: Template;
  tables?: Template;
}

export interface Synthesized {
  stage: Stage;
  stacks: Templates;
  /** Names of the stacks with termination protection. */
  protectedStacks: string[];
  /** The tags of each stack. */
  stackTags: Record<string, string>[];
  /** The resources of all stacks. */
  resources: Resource[];
}

/** An app with the stacks of these stages and rules; one-line files replace the bundles and DuckDB. */
export function appWith(ruleSet: RuleSet, stages: Stage[]) {
  const bundles = mkdtempSync(join(tmpdir(), 'bundles-'));
  for (const name of FUNCTIONS) {
    mkdirSync(join(bundles, name));
    writeFileSync(join(bundles, name, 'index.mjs'), `export const handler = () => '${name}';`);
  }
  const duckDbLibrary = join(bundles, 'duckdb');
  mkdirSync(duckDbLibrary);
  writeFileSync(join(duckDbLibrary, 'package.json'), JSON.stringify({ name: '@duckdb/library' }));
  writeFileSync(join(duckDbLibrary, 'duckdb.node'), 'native');
  const outdir = join(bundles, 'cdk.out');
  const { app, added } = stageApp({ stages, rules: ruleSet, bundles, duckDbLibrary, outdir });
  return { app, added, [Symbol.dispose]: () => rmSync(bundles, { recursive: true }) };
}

/** The stacks of these stages as templates. */
export function synthesize(ruleSet: RuleSet, stages: Stage[] = STAGES): Synthesized[] {
  using made = appWith(ruleSet, stages);
  return made.added.map(({ stage, stacks: { state, respond, alerting, data, dataAccess, tables } }) => {
    const stacks = {
      state: Template.fromStack(state),
      respond: Template.fromStack(respond),
      alerting: Template.fromStack(alerting),
      ...(data && { data: Template.fromStack(data) }),
      ...(dataAccess && { dataAccess: Template.fromStack(dataAccess) }),
      ...(tables && { tables: Template.fromStack(tables) }),
    };
    const all = [state, respond, alerting, data, dataAccess, tables].flatMap((stack) => stack ?? []);
    return {
      stage,
      stacks,
      protectedStacks: all
        .filter(({ terminationProtection }) => terminationProtection)
        .map(({ stackName }) => stackName),
      stackTags: all.map(({ tags }) => tags.tagValues()),
      resources: Object.values(stacks).flatMap(resourcesOf),
    };
  });
}

export function resourcesOf(template: Template): Resource[] {
  const resources = resourcesSchema.parse(template.toJSON().Resources);
  return Object.entries(resources).map(([id, resource]) => ({ ...resource, id }));
}

/** The policy statements of the roles in `resources`. */
export function statementsOf(resources: Resource[]): Statement[] {
  const document = z.object({ Statement: z.array(statementSchema) });
  const inline = z.array(z.object({ PolicyDocument: document })).default([]);
  return resources.flatMap(({ Type, Properties }) => {
    if (Type === 'AWS::IAM::Policy') return document.parse(Properties.PolicyDocument).Statement;
    if (Type !== 'AWS::IAM::Role') return [];
    return inline.parse(Properties.Policies).flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
  });
}

/** The template without the hashes of bundles, which change with the code. */
export function withoutHashes(template: Template): unknown {
  const text = JSON.stringify(template.toJSON());
  return JSON.parse(
    text.replaceAll(/[0-9a-f]{64}/g, 'HASH').replaceAll(/(CurrentVersion[0-9A-F]{8})[0-9a-f]{32}/g, '$1'),
  );
}

/** Whether a part of a template contains a text: as a whole string, or as a part of one. */
export function mentions(value: unknown, text: string, how: 'whole' | 'part' = 'whole'): boolean {
  return JSON.stringify(value ?? null).includes(how === 'whole' ? `"${text}"` : text);
}

/** The alarms on a metric of the resource `id`. */
export function alarmsOn(
  resources: readonly { Type: string; Properties: Record<string, unknown> }[],
  metric: string,
  id: string,
): Record<string, unknown>[] {
  return resources
    .filter(({ Type }) => Type === 'AWS::CloudWatch::Alarm')
    .map(({ Properties }) => Properties)
    .filter(({ MetricName, Dimensions }) => MetricName === metric && mentions(Dimensions, id));
}

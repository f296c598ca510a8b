import type { StackProps } from 'aws-cdk-lib';
import * as z from 'zod';
import { dataAccessOf } from '../shared/config/data-access.ts';
import { type Stage, stageNameSchema, stageOf, stageSchema } from '../shared/config/stage.ts';
import { check } from '../shared/rule-files/rule-faults.ts';
import { faultLines } from '../shared/rule-files/rule-source.ts';
import { ConfigError } from '../shared/runtime/errors.ts';
import type { Operators } from './constructs/operators.ts';

type StageInput = z.input<typeof stageSchema>;

export interface StageProps extends StageInput {
  /** Up to 20 lower-case letters, digits and dashes. Part of the names of all resources. */
  name: string;
  dataAccess: NonNullable<StageInput['dataAccess']>;
}

const propsSchema = stageSchema
  .extend({ name: stageNameSchema, dataAccess: stageSchema.shape.dataAccess.unwrap() })
  .transform(({ name, ...stage }, { addIssue }) => {
    const { dataAccess, region } = stage;
    const found = dataAccessOf({ dataAccess, region });
    if (found.kind === 'found') return stageOf(name, { ...stage, dataAccess: found.dataAccess });
    addIssue({ code: 'custom', path: ['dataAccess'], message: found.message });
    return z.NEVER;
  });

/** The stage with all defaults. Throws `ConfigError` with every wrong prop of the construct `id`. */
export function stageOfProps(id: string, props: StageProps): Stage {
  const checked = check(propsSchema, props);
  if (checked.kind === 'valid') return checked.value;
  throw new ConfigError(
    `the props of the Deltawatch construct "${id}" are not valid\n${faultLines(checked.faults)}`,
  );
}

/** What every stack with functions needs. */
export interface PartProps {
  stage: Stage;
  operators: Operators;
  /** The folder of the bundles, with one folder per function. */
  bundles: string;
}

/** The props of every stack: its name, by which the commands find it, what it `holds`, and where it is deployed. */
export function stackOf({ name, account, region }: Stage, part: string, holds: string): StackProps {
  return {
    stackName: `deltawatch-${name}-${part}`,
    description: `Deltawatch (${name}): ${holds}`,
    env: { ...(account !== undefined && { account }), ...(region !== undefined && { region }) },
  };
}

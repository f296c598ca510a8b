import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetScheduleCommand, ListSchedulesCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { expect, vi } from 'vitest';
import * as z from 'zod';
import { createCloud } from '../../shared/aws/cloud.ts';
import { type Ended, launch, launchDeltawatch, type Running } from '../fixtures/deltawatch.ts';

const CDK = join(dirname(createRequire(import.meta.url).resolve('aws-cdk/package.json')), 'bin', 'cdk');

/** The repository of a team. All commands run in it. */
export interface Repository {
  write(file: string, text: string): Promise<void>;
  start(...args: string[]): Running;
  deltawatch(...args: string[]): Promise<Ended>;
  cdk(...args: string[]): Promise<Ended>;
}

export function repositoryIn(folder: string): Repository {
  return {
    write: (file, text) => writeFile(join(folder, file), text),
    start: (...args) => launchDeltawatch(args, folder),
    deltawatch: (...args) => launchDeltawatch(args, folder).ended,
    cdk: (...args) => launch(process.execPath, [CDK, ...args, '--no-notices'], folder).ended,
  };
}

/** The commands of the tests, and their clients, talk to the emulator alone. */
export function stubEnvironment(environment: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(process.env).filter((each) => /^(AWS|CDK)_/.test(each)))
    vi.stubEnv(name, undefined);
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
}

/** Runs a command that must succeed, and returns its standard output. */
export async function succeed(command: Promise<Ended>): Promise<string> {
  const { code, stdout, stderr } = await command;
  expect(code, `${stdout}\n${stderr}`).toBe(0);
  return stdout;
}

/** The stack of a part of a stage, such as "state"; `undefined` if it does not exist. */
export function findStack(part: string, stage = 'staging') {
  return createCloud({}).findStack(`deltawatch-${stage}-${part}`);
}

export async function outputOf(part: string, output: string, stage = 'staging'): Promise<string> {
  return z.string().parse((await findStack(part, stage))?.outputs[output]);
}

export function storeSecret(name: string, value: string): Promise<void> {
  return createCloud({}).createSecret({ name, value, description: 'By the tests' });
}

const targetSchema = z.object({ Arn: z.string(), Input: z.string().default('{}') });

/** Calls the target of a schedule with its input, as EventBridge Scheduler does at `at`. `stage`: of several. */
export async function runSchedule(name: string, at: number, stage = ''): Promise<void> {
  const scheduler = new SchedulerClient();
  const { Schedules = [] } = await scheduler.send(new ListSchedulesCommand({ NamePrefix: name }));
  const ofStage = Schedules.find(({ GroupName = '' }) => GroupName.replaceAll('-', '').includes(stage));
  const { GroupName } = z.object({ GroupName: z.string() }).parse(ofStage);
  const { Target } = await scheduler.send(new GetScheduleCommand({ Name: name, GroupName }));
  const { Arn, Input } = targetSchema.parse(Target);
  const time = new Date(at).toISOString().replace('.000Z', 'Z');
  const Payload = Buffer.from(Input.replace('<aws.scheduler.scheduled-time>', time));
  const answer = await new LambdaClient().send(new InvokeCommand({ FunctionName: Arn, Payload }));
  if (answer.FunctionError !== undefined)
    throw new Error(`${name} failed: ${Buffer.from(answer.Payload ?? []).toString()}`);
}

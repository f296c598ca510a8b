import {
  CloudFormationClient,
  DeleteStackCommand,
  GetTemplateCommand,
  paginateDescribeStacks,
  UpdateTerminationProtectionCommand,
  waitUntilStackDeleteComplete,
} from '@aws-sdk/client-cloudformation';
import { DeleteObjectsCommand, ListObjectVersionsCommand, S3Client } from '@aws-sdk/client-s3';
import * as z from 'zod';
import { UpstreamError } from '../runtime/errors.ts';
import type { AwsAccess } from './cloud.ts';
import { callAws } from './requests.ts';
import { createStageParts, pagesOf, type StackPart } from './stage-parts.ts';

/** A resource of a stack, and whether it stays when the stack is deleted. */
export type Removable = StackPart & { stays: boolean };

/** Finds the stacks of all stages in an account and region, and removes them. */
export interface StageStacks {
  /** The names of the stacks that have the tags of Deltawatch, by stage. */
  byStage(): Promise<Map<string, string[]>>;
  resourcesOf(stack: string): Promise<Removable[]>;
  /** Deletes every version of every object. */
  empty(bucket: string): Promise<void>;
  /** Deletes a stack, also one with termination protection. Throws `UpstreamError` if a part cannot be deleted. */
  remove(stack: string): Promise<void>;
}

const templateSchema = z.object({
  Resources: z.record(z.string(), z.object({ DeletionPolicy: z.string().default('Delete') })),
});

const REMOVED_WITHIN_SECONDS = 3600;

export function createStageStacks(access: AwsAccess): StageStacks {
  const client = new CloudFormationClient(access);
  const s3 = new S3Client(access);
  const send = <T>(call: () => Promise<T>) => callAws('CloudFormation', call);
  const described = (StackName?: string) =>
    pagesOf('CloudFormation', paginateDescribeStacks({ client }, { ...(StackName && { StackName }) })).then(
      (pages) => pages.flatMap(({ Stacks = [] }) => Stacks),
    );
  return {
    async byStage() {
      const stages = new Map<string, string[]>();
      for (const { StackName = '', Tags = [] } of await described()) {
        const tags = Object.fromEntries(Tags.map(({ Key = '', Value = '' }) => [Key, Value]));
        if (tags.application !== 'deltawatch' || tags.stage === undefined) continue;
        stages.set(tags.stage, [...(stages.get(tags.stage) ?? []), StackName]);
      }
      return stages;
    },
    async resourcesOf(stack) {
      const { TemplateBody = '{}' } = await send(() =>
        client.send(new GetTemplateCommand({ StackName: stack })),
      );
      const { Resources } = templateSchema.parse(JSON.parse(TemplateBody));
      const parts = await createStageParts(access).partsOf(stack);
      return parts.map((part) => ({ ...part, stays: Resources[part.name]?.DeletionPolicy !== 'Delete' }));
    },
    async empty(Bucket) {
      for (;;) {
        const found = await callAws('S3', () => s3.send(new ListObjectVersionsCommand({ Bucket })));
        const all = [...(found.Versions ?? []), ...(found.DeleteMarkers ?? [])];
        if (all.length === 0) return;
        const Objects = all.map(({ Key, VersionId }) => ({ Key, VersionId }));
        const { Errors: [refused] = [] } = await callAws('S3', () =>
          s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } })),
        );
        if (refused)
          throw new UpstreamError(`S3 does not delete ${refused.Key} of ${Bucket}: ${refused.Code}`, {
            retryable: false,
          });
      }
    },
    async remove(StackName) {
      const unprotected = { StackName, EnableTerminationProtection: false };
      await send(() => client.send(new UpdateTerminationProtectionCommand(unprotected)));
      await send(() => client.send(new DeleteStackCommand({ StackName })));
      const waiting = { client, maxWaitTime: REMOVED_WITHIN_SECONDS, minDelay: 1, maxDelay: 10 };
      await waitUntilStackDeleteComplete(waiting, { StackName }).catch(async (cause: unknown) => {
        const [stack] = await described(StackName);
        const reason = stack?.StackStatusReason ?? 'see its events in CloudFormation';
        throw new UpstreamError(`${StackName} is not deleted: ${reason}`, { retryable: false, cause });
      });
    },
  };
}

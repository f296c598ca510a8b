import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';

/** The usage of a client: requests by command, and the capacity units that they consumed. */
export interface Usage {
  requests: Record<string, number>;
  capacityUnits: Record<string, number>;
}

const capacitySchema = z.object({ CapacityUnits: z.number().default(0) });
const answerSchema = z.object({
  ConsumedCapacity: z.union([capacitySchema.transform((one) => [one]), z.array(capacitySchema)]).default([]),
});

/** Counts the requests of `client` from now on. For benchmarks and tests, because returning the usage has a cost. */
export function countUsage(client: DynamoDBDocumentClient): Usage {
  const usage: Usage = { requests: {}, capacityUnits: {} };
  const add = (sums: Record<string, number>, command: string, amount: number) => {
    sums[command] = (sums[command] ?? 0) + amount;
  };
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const command = String(context.commandName);
      add(usage.requests, command, 1);
      const answer = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
      for (const { CapacityUnits } of answerSchema.parse(answer.output).ConsumedCapacity)
        add(usage.capacityUnits, command, CapacityUnits);
      return answer;
    },
    { step: 'initialize', name: 'countUsage', override: true },
  );
  return usage;
}

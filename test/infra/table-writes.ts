import * as z from 'zod';
import type { Statement } from './synthesis.ts';

const keyed = z.object({ pk: z.object({ S: z.string() }) });
const writeSchema = z.union([
  z.object({ Item: keyed }).transform(({ Item }) => [Item.pk.S]),
  z.object({ Key: keyed, UpdateExpression: z.string() }).transform(({ Key }) => [Key.pk.S]),
  z
    .object({
      RequestItems: z.record(z.string(), z.array(z.object({ PutRequest: z.object({ Item: keyed }) }))),
    })
    .transform(({ RequestItems }) =>
      Object.values(RequestItems).flatMap((puts) => puts.map(({ PutRequest }) => PutRequest.Item.pk.S)),
    ),
]);

/** The partitions that a request to DynamoDB writes to; empty for a read. */
export function partitionsIn(body: unknown): string[] {
  return writeSchema.safeParse(body).data ?? [];
}

const leadingKeysSchema = z.object({
  'ForAllValues:StringLike': z.object({ 'dynamodb:LeadingKeys': z.array(z.string()) }),
  Null: z.object({ 'dynamodb:LeadingKeys': z.literal('false') }),
});

/** Whether IAM allows this write, such as `PutItem ALERT#orders`, to a role with these statements. */
export function mayWrite(statements: readonly Statement[], write: string): boolean {
  const [command, partition = ''] = write.split(/ (.*)/s);
  return statements.some(({ Effect, Action, Condition }) => {
    if (Effect !== 'Allow' || !Action.includes(`dynamodb:${command}`)) return false;
    if (Condition === undefined) return true;
    const keys = leadingKeysSchema.parse(Condition)['ForAllValues:StringLike']['dynamodb:LeadingKeys'];
    return keys.some((key) => patternOf(key).test(partition));
  });
}

function patternOf(stringLike: string): RegExp {
  const literal = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${stringLike.split('*').map(literal).join('.*')}$`, 's');
}

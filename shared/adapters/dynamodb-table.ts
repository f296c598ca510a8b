/**
 * The one table, as data: infrastructure creates it by these names, code reads it by them. Every item has the two
 * keys; only an alert that owes a message has those of the index `owed`, and one that is not at rest those of `open`, so
 * that the indexes hold nothing else. The expiry attribute is in epoch seconds; an item past it counts as gone, whether
 * DynamoDB removed it yet or not.
 */
export const TABLE = {
  partitionKey: { name: 'pk', type: 'S' },
  sortKey: { name: 'sk', type: 'S' },
  expiryAttribute: 'expiresAt',
  owedIndex: {
    name: 'owed',
    partitionKey: { name: 'owedShard', type: 'S' },
    sortKey: { name: 'owedAt', type: 'N' },
    projection: 'ALL',
  },
  openIndex: {
    name: 'open',
    partitionKey: { name: 'openShard', type: 'S' },
    sortKey: { name: 'stateSinceAt', type: 'N' },
    projection: 'ALL',
  },
} as const;

export const INDEXES = [TABLE.owedIndex, TABLE.openIndex] as const;

/** Where every owing alert is found in the index. */
export const OWED_SHARD = 'owed';

/** Where every alert that is not at rest is found in its index. */
export const OPEN_SHARD = 'open';

/**
 * The one table, as data: infrastructure creates it by these names, code reads it by them. Every item has the two
 * keys; only an alert with a pending notification has those of the index `pending`, and one that is not at rest those of `open`, so
 * that the indexes hold nothing else. The expiry attribute is in epoch seconds; an item past it counts as gone, whether
 * DynamoDB removed it yet or not.
 */
export const TABLE = {
  partitionKey: { name: 'pk', type: 'S' },
  sortKey: { name: 'sk', type: 'S' },
  expiryAttribute: 'expiresAt',
  pendingIndex: {
    name: 'pending',
    partitionKey: { name: 'pendingShard', type: 'S' },
    sortKey: { name: 'pendingAt', type: 'N' },
    projection: 'ALL',
  },
  openIndex: {
    name: 'open',
    partitionKey: { name: 'openShard', type: 'S' },
    sortKey: { name: 'stateSinceAt', type: 'N' },
    projection: 'ALL',
  },
} as const;

export const INDEXES = [TABLE.pendingIndex, TABLE.openIndex] as const;

/**
 * An index takes as many writes a second as its partitions do, and holds up those to the table for the rest: thousands of
 * alerts that change at once are spread over several. The first has the name of all before they were parted.
 */
const SHARDS = 8;

/** The keys of alerts with pending notifications in their index. */
export const PENDING_SHARDS = shardsOf('pending');

/** The keys of alerts that are not at rest in theirs. */
export const OPEN_SHARDS = shardsOf('open');

function shardsOf(name: string): string[] {
  return Array.from({ length: SHARDS }, (_, i) => (i === 0 ? name : `${name}-${i}`));
}

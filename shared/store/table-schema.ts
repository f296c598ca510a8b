/**
 * The names of the table, for infrastructure and code. Every item has the two keys. Only alerts with a pending
 * notification have those of the index `pending`, and only open alerts and those with a recent incident those of `open`. The expiry attribute is in
 * epoch seconds. An item past it counts as removed, even if DynamoDB has not removed it yet.
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
 * Thousands of alerts may change at once, and the write limit of an index partition would delay writes to the table. So
 * alerts are spread over several partitions. The first has the name that the only one had before.
 */
const SHARDS = 8;

export const PENDING_SHARDS = shardsOf('pending');

export const OPEN_SHARDS = shardsOf('open');

/** Partition keys of the same index for alerts at rest with a recent incident. They need no index of their own. */
export const ENDED_SHARDS = shardsOf('ended');

function shardsOf(name: string): string[] {
  return Array.from({ length: SHARDS }, (_, i) => (i === 0 ? name : `${name}-${i}`));
}

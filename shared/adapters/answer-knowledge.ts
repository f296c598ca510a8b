import type { Subject } from '../alerting/reading.ts';
import type { Aggregation } from '../analytics/grouping.ts';
import { aggregationKey } from '../analytics/grouping.ts';

/** What was found out about a service by asking it; whoever makes several sources of one service shares it. */
export interface ServiceKnowledge {
  /** By what a range is about: that the service answers such by exactly its windows, or why it does not this one. */
  ranges: Map<string, { isExact: true } | { isExact: false; reason: string }>;
  /** By path: whether its legacy analytics take a page number, which the interface names for lists alone. */
  pages: Map<string, 'taken' | 'refused'>;
  /** By `metricKey`: whether the service answers a metric, or how it refused it. */
  metrics: Map<string, { isKnown: true } | { isKnown: false; reason: string }>;
}

export function newKnowledge(): ServiceKnowledge {
  return { ranges: new Map(), pages: new Map(), metrics: new Map() };
}

export function metricKey({ app, endpoint }: Pick<Subject, 'app' | 'endpoint'>, asked: Aggregation): string {
  return JSON.stringify([app, endpoint, aggregationKey(asked)]);
}

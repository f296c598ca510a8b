import type { Subject } from '../../alerting/readings/reading.ts';
import type { Aggregation } from '../../analytics/grouping.ts';
import { aggregationKey } from '../../analytics/grouping.ts';
import type { Millis } from '../../runtime/clock.ts';

/** What was found out about a service by asking it; whoever makes several sources of one service shares it. */
export interface ServiceKnowledge {
  /** By what a range is about: that the service answers such by exactly its windows, or why it does not this one. */
  ranges: Map<string, { isExact: true } | { isExact: false; reason: string }>;
  /** By path: whether its legacy analytics take a page number, which the interface names for lists alone. */
  pages: Map<string, 'taken' | 'refused'>;
  /** By `metricKey`: whether the service answers a metric, or how it refused it. */
  metrics: Map<string, { isKnown: true } | { isKnown: false; reason: string; refusedAt: Millis }>;
}

/** A service may learn a metric, or have refused it by mistake: it is asked for again after this long. */
const REFUSED_FOR_MS = 24 * 3_600_000;

/** Removes the refusals that are too old to rely on. */
export function forgetOldRefusals({ metrics }: ServiceKnowledge, now: Millis): void {
  for (const [key, found] of metrics)
    if (!found.isKnown && now - found.refusedAt >= REFUSED_FOR_MS) metrics.delete(key);
}

export function newKnowledge(): ServiceKnowledge {
  return { ranges: new Map(), pages: new Map(), metrics: new Map() };
}

export function metricKey({ app, endpoint }: Pick<Subject, 'app' | 'endpoint'>, asked: Aggregation): string {
  return JSON.stringify([app, endpoint, aggregationKey(asked)]);
}

import type { Aggregation } from '../contract/grouping.ts';
import { aggregationKey } from '../contract/grouping.ts';
import type { Subject } from '../readings/reading.ts';
import type { Millis } from '../runtime/clock.ts';

/** What is known about a service from its answers. Sources of the same service share it. */
export interface ServiceKnowledge {
  /** By kind of range: that the service returns exactly its windows, or why it does not. */
  ranges: Map<string, { isExact: true } | { isExact: false; reason: string }>;
  /** By path: whether legacy analytics accept a page number, which the interface documents only for lists. */
  pages: Map<string, 'taken' | 'refused'>;
  /** By `metricKey`: whether the service supports the metric, or why it refused it. */
  metrics: Map<string, { isKnown: true } | { isKnown: false; reason: string; refusedAt: Millis }>;
}

/** How long a refusal is remembered: the service may support the metric later, or have refused it by mistake. */
const REFUSED_FOR_MS = 24 * 3_600_000;

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

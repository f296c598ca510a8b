import { announceOwed } from '../functions/announce/announce.ts';
import { checkRules } from '../functions/check-rules/check-rules.ts';
import { planChecks } from '../functions/plan-checks/plan-checks.ts';
import { dynamodbAlertStore } from '../shared/adapters/dynamodb-alert-store.ts';
import { dynamodbDeliveryLog } from '../shared/adapters/dynamodb-delivery-log.ts';
import { dynamodbReadingStore } from '../shared/adapters/dynamodb-reading-store.ts';
import type { Table } from '../shared/adapters/dynamodb-requests.ts';
import { dynamodbRuleStore } from '../shared/adapters/dynamodb-rule-store.ts';
import { dynamodbRunStore } from '../shared/adapters/dynamodb-run-store.ts';
import { dynamodbSilenceStore } from '../shared/adapters/dynamodb-silence-store.ts';
import { type Cadence, cadenceName, nextRun } from '../shared/alerting/cadence.ts';
import type { ChannelConfig } from '../shared/alerting/channels.ts';
import type { Owed } from '../shared/alerting/message.ts';
import type { Piece } from '../shared/alerting/plan.ts';
import type { Channel, MessageLinks, MetricSource, RunStore } from '../shared/alerting/ports.ts';
import type { Rule } from '../shared/alerting/rule.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import type { Logger } from '../shared/runtime/logger.ts';
import type { Meter } from '../shared/runtime/metrics.ts';
import { ProcessQueue } from './process-queue.ts';

export interface SystemParts {
  table: Table;
  clock: Clock;
  sourceFor: (app: string, runs: RunStore) => MetricSource;
  channelFor: (config: ChannelConfig, name: string) => Promise<Channel>;
  /** Without it messages carry no addresses. */
  links?: MessageLinks;
  logger: Logger;
  meter: Meter;
}

export type System = ReturnType<typeof createSystem>;

/** The functions that run in AWS, wired to one another inside this process. */
export function createSystem({ table, sourceFor, ...parts }: SystemParts) {
  const rules = dynamodbRuleStore(table);
  const alerts = dynamodbAlertStore(table, ({ message: reason }) => {
    parts.logger.error('an alert cannot be read, and is left out', { reason });
  });
  const readings = dynamodbReadingStore(table);
  const runs = dynamodbRunStore(table);
  const silences = dynamodbSilenceStore(table);
  const deliveries = dynamodbDeliveryLog(table);
  const pieces = new ProcessQueue<Piece>();
  // Every tick ends with announcing, so nobody needs a nudge.
  const nudges = { send: async () => {} };
  const sources = new Map<string, MetricSource>();
  const source = (app: string): MetricSource => {
    const known = sources.get(app) ?? sourceFor(app, runs);
    sources.set(app, known);
    return known;
  };
  const deps = { ...parts, rules, alerts, readings, runs, pieces, nudges, sourceFor: source };
  const announce = () => announceOwed({ ...deps, silences, deliveries });

  return {
    rules,
    alerts,
    readings,
    runs,
    silences,
    deliveries,
    /** Sends what is due; what was missed or failed before is found again. */
    announce,
    /** One run of one cadence from planning to announcing. */
    async tick(cadence: string, scheduledAt: number): Promise<Owed[]> {
      await planChecks({ cadence, scheduledAt }, deps);
      await pieces.drain((piece) => checkRules(piece, deps));
      return (await announce()).sent;
    },
  };
}

/** A moment at which a cadence runs. */
export interface Run {
  cadence: string;
  at: number;
}

/** Every run of the rules' cadences in `(after, through]`, in order. */
export function* runsBetween(rules: Rule[], after: number, through: number): Generator<Run> {
  const cadences = new Map<string, Cadence>(rules.map((rule) => [cadenceName(rule.cadence), rule.cadence]));
  const next = [...cadences].map(([name, cadence]) => ({ name, cadence, at: nextRun(cadence, after) }));
  for (;;) {
    const first = next.reduce<(typeof next)[number] | undefined>(
      (a, b) => (a && a.at <= b.at ? a : b),
      undefined,
    );
    if (!first || first.at > through) return;
    yield { cadence: first.name, at: first.at };
    first.at = nextRun(first.cadence, first.at);
  }
}

import type { Means } from '../../alerting/readings/metric-source.ts';
import type { ReadingRow, Subject } from '../../alerting/readings/reading.ts';
import type { Aggregation } from '../../analytics/grouping.ts';
import type { Millis } from '../../runtime/clock.ts';
import { metricKey, type ServiceKnowledge } from './answer-knowledge.ts';
import { isNamed, substituteFor } from './metric-substitutes.ts';
import { QuestionRefusedError } from './refusals.ts';

/** Asks for these metrics alone, of the same things in the same groups; the service's words where it refuses. */
type Probe = (aggregations: Aggregation[]) => Promise<string | undefined>;

/** The metrics of `question` that the interface does not name and that nobody has asked this service for with success. */
export function untestedIn(question: Subject, { metrics }: ServiceKnowledge): Aggregation[] {
  const { endpoint, aggregations } = question;
  return aggregations.filter((each) => !isNamed(endpoint, each) && !metrics.has(metricKey(question, each)));
}

/**
 * Finds out which untested metrics are to blame for the refusal of `question`, and whether any is. Each is asked for by
 * itself, so that one refusal by mistake condemns none. Where the service refuses the metrics that the interface names,
 * too, the fault lies in the filters or groups.
 */
export async function findRefused(
  question: Subject,
  knowledge: ServiceKnowledge,
  { probe, now }: { probe: Probe; now: Millis },
): Promise<boolean> {
  const untested = untestedIn(question, knowledge);
  if (untested.length === 0) return false;
  const named = question.aggregations.filter((each) => isNamed(question.endpoint, each));
  if ((await probe(named.length > 0 ? named : [{ attribute: `${question.endpoint}_count` }])) !== undefined)
    return false;
  let isFound = false;
  for (const each of untested) {
    const reason = await probe([each]);
    const isKnown = reason === undefined;
    knowledge.metrics.set(
      metricKey(question, each),
      isKnown ? { isKnown } : { isKnown, reason, refusedAt: now },
    );
    isFound ||= !isKnown;
  }
  return isFound;
}

/** Rows show that the service knows the metrics of `question`; an answer without any shows nothing. */
export function noteAnswered(
  question: Subject,
  rows: readonly ReadingRow[],
  knowledge: ServiceKnowledge,
): void {
  if (rows.length === 0) return;
  for (const each of untestedIn(question, knowledge))
    knowledge.metrics.set(metricKey(question, each), { isKnown: true });
}

export function meansIn(
  { metrics }: ServiceKnowledge,
  asked: Pick<Subject, 'app' | 'endpoint'>,
  aggregation: Aggregation,
): Means | undefined {
  const found = metrics.get(metricKey(asked, aggregation));
  if (!found) return isNamed(asked.endpoint, aggregation) ? { kind: 'asked' } : undefined;
  if (found.isKnown) return { kind: 'asked' };
  const substitute = substituteFor(asked.endpoint, aggregation);
  return substitute ? { kind: 'derived', how: substitute.how } : { kind: 'refused', reason: found.reason };
}

/** The service's words where it refuses what `ask` asks. */
export async function refusalIn(ask: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await ask();
    return undefined;
  } catch (error) {
    if (error instanceof QuestionRefusedError) return error.message;
    throw error;
  }
}

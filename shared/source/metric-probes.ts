import type { Aggregation } from '../contract/grouping.ts';
import type { ReadingRow, Subject } from '../readings/reading.ts';
import type { Millis } from '../runtime/clock.ts';
import { metricKey, type ServiceKnowledge } from './answer-knowledge.ts';
import { isNamed } from './metric-substitutes.ts';
import { QuestionRefusedError } from './refusals.ts';

/** Asks for these metrics only, with the same filters and groups. Returns the message if the service refuses. */
type Probe = (aggregations: Aggregation[]) => Promise<string | undefined>;

/** The metrics of `question` that the interface does not document and that the service has not answered yet. */
export function untestedIn(question: Subject, { metrics }: ServiceKnowledge): Aggregation[] {
  const { endpoint, aggregations } = question;
  return aggregations.filter((each) => !isNamed(endpoint, each) && !metrics.has(metricKey(question, each)));
}

/**
 * Finds out which untested metrics cause the refusal of `question`, if any. Each is asked for separately, so that one
 * refusal does not affect the others. If the service also refuses documented metrics, the cause is the filters or
 * groups.
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

/** Rows show that the service knows the metrics of `question`. A response without rows shows nothing. */
export function noteAnswered(
  question: Subject,
  rows: readonly ReadingRow[],
  knowledge: ServiceKnowledge,
): void {
  if (rows.length === 0) return;
  for (const each of untestedIn(question, knowledge))
    knowledge.metrics.set(metricKey(question, each), { isKnown: true });
}

/** The message of the service if it refuses; else `undefined`. */
export async function refusalIn(ask: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await ask();
    return undefined;
  } catch (error) {
    if (error instanceof QuestionRefusedError) return error.message;
    throw error;
  }
}

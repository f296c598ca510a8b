import { History } from '../../shared/readings/history.ts';
import type { MetricSource } from '../../shared/readings/metric-source.ts';
import type { Question, Snapshot } from '../../shared/readings/reading.ts';
import { questionFor, rowKeysOf, seriesOf } from '../../shared/readings/series.ts';
import { metricOf } from '../../shared/rules/metrics.ts';
import type { Live } from './explanation.ts';
import { evaluatedFrom, type SeriesPast, seriesIn } from './series-past.ts';

export type MetricSourceFor = (app: string) => MetricSource;

/** The service's current figure for the window, and its verdict. Stores nothing. */
export async function liveReading(
  past: SeriesPast,
  segment: string | null,
  newestDataAt: number,
  { sourceFor, now }: { sourceFor: MetricSourceFor; now: number },
): Promise<Live> {
  const { rule, window, snapshots } = past;
  const question = questionFor([rule], window);
  const result = await sourceFor(rule.app).read(question);
  if (result.kind !== 'read') return { kind: 'unread', reason: result.reason };
  const { eventNames }: Pick<Question, 'eventNames'> = question;
  const snapshot: Snapshot = {
    ...{ family: seriesOf(rule).family, window, readAt: now, rereadAt: now, keys: rowKeysOf([rule]) },
    ...(eventNames && { eventNames }),
    rows: result.value,
  };
  const [metric, series] = [metricOf(rule), seriesIn(past, segment)];
  const all = [...snapshots, snapshot];
  const reading = new History(all).reading(window, series, metric) ?? { value: null, weight: null };
  const stored = new History(snapshots).reading(window, series, metric) ?? null;
  return {
    ...{ kind: 'read', reading, stored },
    isSame: reading.value === (stored?.value ?? null),
    verdict: evaluatedFrom(past, segment, newestDataAt, all)?.verdict ?? null,
  };
}

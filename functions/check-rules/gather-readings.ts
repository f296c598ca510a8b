import type { Almanac } from '../../shared/alerting/almanac.ts';
import type { CallBudget } from '../../shared/alerting/call-budget.ts';
import { type Errand, errandsFor, oneByOne } from '../../shared/alerting/errands.ts';
import { History } from '../../shared/alerting/history.ts';
import type { MetricSource, ReadingStore, ReadResult } from '../../shared/alerting/ports.ts';
import { seriesOf } from '../../shared/alerting/series.ts';
import {
  helpfulReadings,
  isRead,
  type Need,
  neededReadings,
  neededWindows,
  wantedRanges,
} from '../../shared/alerting/wanted-readings.ts';
import type { Window } from '../../shared/alerting/window.ts';
import { readErrand } from './read-errand.ts';

/** Why a reading could not be had: `stale` for want of fresh data, `inconclusive` of calls. */
export interface Gap {
  kind: 'failed' | 'inconclusive' | 'stale';
  reason: string;
}

export interface GatherDeps {
  readings: ReadingStore;
  source: MetricSource;
  now: () => number;
  /** The scheduled time of the tick. */
  scheduledAt: number;
  /** From when on no more history is asked for, so that the run comes to its end. */
  historyUntilAt: number;
  /** Of the family's calendar. */
  almanac: Almanac;
  /** Why nothing more is to be asked, if an earlier family found out. */
  trouble: Gap | undefined;
}

type Unread = Exclude<ReadResult<never>, { kind: 'read' }>;

/**
 * The readings that rules of one family need: those kept from earlier runs and, kept for later ones, those that judging
 * cannot do without; then, from spare calls alone, the past that nobody has read yet, newest first. A window that was
 * read is not read again until it is due for that. After a question that failed no more are asked; `gapFor` says what is
 * missing for a rule's window, `trouble` is set where asking for other families would fail too, and `failure` where it
 * may.
 */
export async function gatherReadings(family: string, needs: Need[], deps: GatherDeps) {
  const { almanac, historyUntilAt } = deps;
  const looked = needs.map((need) => ({
    ...need,
    windows: [...need.again.map(({ window }) => window), ...need.windows],
  }));
  const ranges = wantedRanges(looked, almanac);
  const sheets = await Promise.all(ranges.map((range) => deps.readings.load(family, range)));
  const history = new History(sheets.flat());
  let { trouble } = deps;
  let gap = trouble;
  let failure: Gap | undefined;

  /** Runs errands until one fails; one whose range the service does not know is run window by window. */
  const run = async (errands: Errand[], budget: CallBudget, untilAt: number): Promise<Unread | undefined> => {
    const left = [...errands];
    for (let errand = left.shift(); errand && deps.now() < untilAt; errand = left.shift()) {
      const result = await readErrand(errand, budget, { ...deps, family, history });
      if (result.kind === 'unsupported') {
        const each = oneByOne(errand);
        left.unshift(...(budget === 'spare' ? each.reverse() : each));
      } else if (result.kind !== 'read') return result;
    }
    return undefined;
  };

  const rowsEach = rowsPerWindow(needs, history);
  if (!gap) {
    const errands = errandsFor(neededReadings(needs, history, almanac), rowsEach, almanac).reverse();
    const unread = await run(errands, 'whole', Infinity);
    gap = unread && gapOf(unread);
    if (unread?.kind === 'budget-spent') trouble = gap;
    if (unread?.kind === 'failed' && unread.retryable) failure = gap;
  }
  if (!gap)
    await run(
      errandsFor(helpfulReadings(needs, history, almanac), rowsEach, almanac),
      'spare',
      historyUntilAt,
    );

  const gapFor = (need: Need, window: Window): Gap | undefined =>
    neededWindows(need, window, almanac).every((each) => isRead(history, need.rule, each)) ? undefined : gap;
  return { history, gapFor, trouble, failure };
}

/** What a question that brought nothing means for the rules that need it. */
export function gapOf({ kind, reason }: Exclude<ReadResult<unknown>, { kind: 'read' }>): Gap {
  return { kind: kind === 'failed' ? 'failed' : 'inconclusive', reason };
}

/** Rows that a window is expected to have: of segments twice as many as any had, as over time others lead. */
function rowsPerWindow(needs: Need[], history: History): number {
  const series = needs.map(({ rule }) => seriesOf(rule));
  const names = Math.max(1, new Set(series.flatMap(({ eventNames }) => eventNames)).size);
  const segments = series[0]?.segmentBy?.max_group_number;
  if (segments === undefined) return names;
  return Math.min(2 * history.mostRows() || Infinity, names * (segments + 1));
}

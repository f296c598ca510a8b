import type { Almanac } from '../../shared/alerting/almanac.ts';
import { baselineWindows, type Memory, NO_MEMORY } from '../../shared/alerting/baseline.ts';
import { historyRanges } from '../../shared/alerting/evidence.ts';
import { History } from '../../shared/alerting/history.ts';
import type { MetricSource, ReadingStore, ReadResult } from '../../shared/alerting/ports.ts';
import type { Rule } from '../../shared/alerting/rule.ts';
import { questionFor, rowKeysOf, seriesOf } from '../../shared/alerting/series.ts';
import type { Window } from '../../shared/alerting/window.ts';

/** A rule with the windows to judge and what its alerts remember: all that says which readings it needs. */
export interface Need {
  rule: Rule;
  windows: Window[];
  memories: Memory[];
}

/** Why a reading could not be had: `stale` for want of fresh data, `inconclusive` of calls. */
export interface Gap {
  kind: 'failed' | 'inconclusive' | 'stale';
  reason: string;
}

interface GatherDeps {
  readings: ReadingStore;
  source: MetricSource;
  now: () => number;
  /** Of the family's calendar. */
  almanac: Almanac;
  /** Why nothing more is to be asked, if an earlier family found out. */
  trouble: Gap | undefined;
}

/**
 * The readings that rules of one family need: those kept from earlier runs, and for windows nobody has read yet
 * one question each, kept for later runs. A window that was read is not read again. After a question that failed
 * no more are asked; `gapFor` says what is missing for a rule's window, `trouble` is set where asking for other families
 * would fail too, and `failure` where it may.
 */
export async function gatherReadings(family: string, needs: Need[], deps: GatherDeps) {
  const history = new History(await loadKept(family, needs, deps));
  let { trouble } = deps;
  let gap = trouble;
  let failure: Gap | undefined;
  for (const { window, rules } of wantedWindows(needs, deps.almanac)) {
    const unread = rules.filter((rule) => !isRead(history, rule, window));
    if (unread.length === 0 || gap) continue;
    const question = questionFor(unread, window);
    const result = await deps.source.read(question);
    if (result.kind !== 'read') {
      gap = gapOf(result);
      if (result.kind === 'budget-spent') trouble = gap;
      failure = result.kind === 'failed' && result.retryable ? gap : undefined;
      continue;
    }
    const { eventNames } = question;
    const sheet = { family, window, readAt: deps.now(), keys: rowKeysOf(unread), rows: result.value };
    const kept = { ...sheet, ...(eventNames && { eventNames }) };
    await deps.readings.save(kept);
    history.add(kept);
  }

  const gapFor = (need: Need, window: Window): Gap | undefined =>
    neededWindows(need, window, deps.almanac).every((each) => isRead(history, need.rule, each))
      ? undefined
      : gap;
  return { history, gapFor, trouble, failure };
}

/** What a question that brought nothing means for the rules that need it. */
export function gapOf({ kind, reason }: Exclude<ReadResult<unknown>, { kind: 'read' }>): Gap {
  return { kind: kind === 'failed' ? 'failed' : 'inconclusive', reason };
}

async function loadKept(family: string, needs: Need[], { readings, almanac }: GatherDeps) {
  const ranges = needs.flatMap(({ rule, windows, memories }) =>
    historyRanges(rule, windows, memories, almanac),
  );
  const sheets = await Promise.all(merged(ranges).map((range) => readings.load(family, range)));
  return sheets.flat();
}

/** Every window that must be read, with the rules that need it, oldest first. */
function wantedWindows(needs: Need[], almanac: Almanac): { window: Window; rules: Rule[] }[] {
  const wanted = new Map<number, { window: Window; rules: Rule[] }>();
  for (const need of needs)
    for (const window of need.windows.flatMap((each) => neededWindows(need, each, almanac))) {
      const { rule } = need;
      const entry = wanted.get(window.endAt) ?? { window, rules: [] };
      if (!entry.rules.includes(rule)) entry.rules.push(rule);
      wanted.set(window.endAt, entry);
    }
  return [...wanted.values()].toSorted((a, b) => a.window.endAt - b.window.endAt);
}

/**
 * A compared answer brings the previous window along; any other baseline is a window of its own, and after an incident
 * that of some alerts lies further back.
 */
function neededWindows({ rule, memories }: Need, window: Window, almanac: Almanac): Window[] {
  const baselines = [NO_MEMORY, ...memories].flatMap((memory) =>
    baselineWindows(rule, window, memory, almanac)
      .filter(({ endAt }) => endAt !== window.startAt)
      .slice(0, 1),
  );
  return [...new Map(baselines.map((each) => [each.endAt, each])).values(), window];
}

function isRead(history: History, rule: Rule, window: Window): boolean {
  return history.covers(window, seriesOf(rule).eventNames, rowKeysOf([rule]));
}

function merged(ranges: { fromEndAt: number; throughEndAt: number }[]) {
  const result: { fromEndAt: number; throughEndAt: number }[] = [];
  for (const range of ranges.toSorted((a, b) => a.fromEndAt - b.fromEndAt)) {
    const last = result.at(-1);
    if (last && range.fromEndAt <= last.throughEndAt)
      last.throughEndAt = Math.max(last.throughEndAt, range.throughEndAt);
    else result.push({ ...range });
  }
  return result;
}

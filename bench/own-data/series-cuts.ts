import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readArchive } from '../../local/replay/archive.ts';
import { replay } from '../../local/replay/replay.ts';
import { METRICS } from '../../shared/rules/metrics.ts';
import { buildRule, type Rule, ruleSetEntrySchema } from '../../shared/rules/rule.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import type { Window } from '../../shared/time/window.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import type { BoundSeries } from '../../workbench/rule-tests/bound-series.ts';
import { seriesSource } from '../../workbench/rule-tests/series-source.ts';
import { csvRows } from '../../workbench/series/csv-rows.ts';
import { defaultRule, evaluateSeries } from '../../workbench/series/evaluate-series.ts';
import { RowTimes } from '../../workbench/series/row-times.ts';
import { type Series, type SeriesGrain, SPAN } from '../detection/series.ts';
import { notificationOf } from '../simulate.ts';
import type { LogCut, LoggedAlert } from './right-or-wrong.ts';
import { ROUTES } from './routes.ts';
import { isAlert } from './scoring.ts';

const ZONE = 'UTC';

/** Cuts a series into `cuts` parts of `days` days, evenly spread from its first day to its last. */
export async function* seriesCuts(
  { points, grain }: Series,
  { days, cuts }: { days: number; cuts: number },
): AsyncGenerator<{ cut: LogCut; alerts: LoggedAlert[] }> {
  const [first, last] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 0];
  const range = Math.max(0, last - first - days * DAY_MS);
  for (let i = 0; i < cuts; i++) {
    const startAt = first + Math.floor((range * i) / (cuts - 1) / DAY_MS) * DAY_MS;
    const endAt = startAt + days * DAY_MS;
    const rows = points.flatMap(({ at, value }) =>
      startAt <= at && at < endAt && value !== null ? [{ at, value }] : [],
    );
    const lines = rows.map(({ at, value }) => `${new Date(at).toISOString()},${value}`);
    const csv = ['timestamp,value', ...lines].join('\n');
    const dir = await mkdtemp(join(tmpdir(), 'deltawatch-own-data-'));
    try {
      const file = join(dir, 'series.csv');
      await writeFile(file, csv);
      const cut = { startAt, endAt, rows };
      yield { cut, alerts: [...(await evaluated(file, grain)), ...(await backtested(cut, grain))] };
    } finally {
      await rm(dir, { recursive: true });
    }
  }
}

/** The alerts of `deltawatch evaluate --every 1h` or `1d`. */
async function evaluated(file: string, grain: SeriesGrain): Promise<LoggedAlert[]> {
  const rule = defaultRule({ window: grain, zone: ZONE, isMean: false });
  const plan = { rule, gaps: 'missing', isComplete: true } as const;
  const rows = csvRows(createReadStream(file), { name: file, times: new RowTimes(ZONE) });
  const alerts: LoggedAlert[] = [];
  for await (const outcome of evaluateSeries(rows, plan)) {
    if (outcome.kind !== 'evaluated') continue;
    const { evaluation, news } = outcome;
    const { current, baseline, surprise } = evaluation;
    for (const { transition } of news)
      if (isAlert({ transition }))
        alerts.push({
          ...{ by: 'evaluate', window: current.window, transition, current: current.value },
          baseline: surprise?.expected ?? baseline.value,
        });
  }
  return alerts;
}

/** The alerts of a backtest with a rule as a new user writes it. The first window may be partial, so it is left out. */
async function backtested({ startAt, endAt, rows }: LogCut, grain: SeriesGrain): Promise<LoggedAlert[]> {
  const rules = [FIRST_RULES[grain]];
  const [from, to] = [startAt + 2 * SPAN[grain], endAt];
  const clock = new ManualClock(to);
  const source = seriesSource([seriesOf(rows, { startAt, endAt }, grain)], clock);
  const archive = await readArchive({ rules, from, to, sourceFor: () => source, clock });
  // Rows of days do not show at which hours data arrived.
  const figures = grain === 'day' ? { ...archive, newestDataAt: (_: string, at: number) => at } : archive;
  const ruleSet = { version: 'bench', rules, routes: ROUTES };
  const alerts: LoggedAlert[] = [];
  for await (const event of replay({ ruleSet, from, to, figures })) {
    if (event.kind !== 'sent') continue;
    for (const { windowEnd, transition, baseline, current } of event.pending.map(notificationOf)) {
      const endAt = Date.parse(windowEnd);
      const window = { startAt: endAt - SPAN[grain], endAt };
      if (isAlert({ transition })) alerts.push({ by: 'backtest', window, transition, baseline, current });
    }
  }
  return alerts;
}

/** The rows as a series of windows. A window without rows has no value. */
function seriesOf(rows: LogCut['rows'], { startAt, endAt }: Window, grain: SeriesGrain): BoundSeries {
  const sums = new Map<number, number>();
  for (const { at, value } of rows) {
    const start = at - ((at - startAt) % SPAN[grain]);
    sums.set(start, (sums.get(start) ?? 0) + value);
  }
  const windows: Window[] = [];
  for (let at = startAt; at < endAt; at += SPAN[grain])
    windows.push({ startAt: at, endAt: at + SPAN[grain] });
  return {
    ...{ metric: METRICS.event_count, app: undefined, event: undefined, segment: undefined },
    ...{ groupBy: undefined, filters: [], windows },
    sights: new Map(
      windows.map(({ startAt: at }) => [
        at,
        [{ seenAt: -Infinity, value: sums.get(at) ?? 'none', weight: undefined }],
      ]),
    ),
  };
}

const FIRST_RULES: Record<SeriesGrain, Rule> = {
  hour: firstRule({ every: 'hour at :20' }),
  day: firstRule({ every: 'day at 07:00' }),
};

function firstRule(keys: { every: string }): Rule {
  return buildRule(
    ruleSetEntrySchema.parse({
      ...{ id: 'same-weekday', title: 'A week before', app: 'series', owner: 'series', zone: ZONE, ...keys },
      ...{ metric: 'event_count', compare: { to: 'same_weekday' } },
      fire: { change: { above: '50%', below: '-50%' } },
      minimum: { baseline: 20 },
    }),
  );
}

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawsFor } from '../../local/data/demo/draws.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import { deltawatch } from './contestants.ts';
import type { Data } from './data.ts';
import { inject, SCENARIOS, type Span, WARM_UP_WINDOWS } from './injection.ts';
import { cleanScores } from './measure.ts';
import { thresholdFor } from './scoring.ts';
import { type Series, SPAN } from './series.ts';
import { type Panel, panelsOf } from './small-multiples.ts';
import { watched } from './watching.ts';

/** How many pictures of each group, at most two of a series, and the budget of false pages per series-week. */
const GROUPS = [
  { name: 'hourly', pictures: 4, budget: 0.25 },
  { name: 'daily', pictures: 3, budget: 0.1 },
  { name: 'labelled', pictures: 3, budget: 0.25 },
] as const;
const OF_A_SERIES = 2;

interface Case extends Panel {
  series: string;
  /** The worst have the most. */
  weight: number;
}

/** Writes the ten worst misses and the ten worst false alarms of the own detector as two pictures. */
export function drawPictures({ series, labelled }: Data, folder: string): void {
  const [misses, falseAlarms]: Case[][] = [[], []];
  for (const { name, pictures, budget } of GROUPS) {
    const all = name === 'labelled' ? labelled : series.filter(({ grain }) => SPANS[name] === SPAN[grain]);
    const seen = all.map((each) => see(each, name === 'labelled' ? 0 : WARM_UP_WINDOWS[each.grain]));
    const threshold = thresholdFor(
      seen.map(({ raw }) => raw),
      budget,
    );
    const missed = seen.flatMap((each) =>
      name === 'labelled' ? missedLabels(each, threshold) : missedInjections(each.series, threshold),
    );
    misses?.push(...worst(missed, pictures));
    falseAlarms?.push(
      ...worst(
        seen.flatMap((each) => falseAlarmsOf(each, threshold)),
        pictures,
      ),
    );
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'detection-misses.svg'), panelsOf('Misses', misses ?? []));
  writeFileSync(join(folder, 'detection-false-alarms.svg'), panelsOf('False alarms', falseAlarms ?? []));
}

const SPANS = { hourly: SPAN.hour, daily: SPAN.day, labelled: SPAN.hour };

type Seen = ReturnType<typeof see>;

function see(series: Series, from: number) {
  const ranges: Panel['ranges'] = [];
  const own = deltawatch('normal', (surprise) => ranges.push(surprise));
  const result = watched(own, series);
  return { series, ranges, scores: result.scores, raw: cleanScores(series, result, from).raw };
}

function missedInjections(series: Series, threshold: number): Case[] {
  return SCENARIOS[series.grain].flatMap((scenario) => {
    const injected = inject(series, scenario, drawsFor(1, series.name, scenario.name));
    const seen = see(injected.series, 0);
    return injected.spans.flatMap((span) => {
      const [before, after] = [series, injected.series].map(({ points }) => sumIn(points, span));
      const weight = Math.abs((after ?? 0) - (before ?? 0)) / Math.sqrt((before ?? 0) + 1);
      return missIn(seen, span, threshold, `${scenario.name} ${series.grain}s`, weight);
    });
  });
}

function missedLabels(seen: Seen, threshold: number): Case[] {
  return seen.series.labels.flatMap(({ startAt, endAt }) => {
    const { points, grain } = seen.series;
    const from = points.findIndex(({ at }) => at + SPAN[grain] > startAt);
    const to = points.findIndex(({ at }) => at >= endAt);
    if (from < 0) return [];
    const span = { from, to: to < 0 ? points.length : to };
    return missIn(seen, span, threshold, `labelled, ${span.to - span.from} hours`, sumIn(points, span));
  });
}

function missIn(seen: Seen, span: Span, threshold: number, what: string, weight: number): Case[] {
  const share = Math.max(...seen.scores.subarray(span.from, span.to)) / threshold;
  if (share >= 1) return [];
  return [caseOf(seen, span, `${what}: reaches ${Math.floor(share * 100)} % of the limit`, weight)];
}

function falseAlarmsOf(seen: Seen, threshold: number): Case[] {
  const pages = Map.groupBy(
    seen.raw.scores.filter(({ score }) => score >= threshold),
    ({ at }) => Math.floor(at / DAY_MS),
  );
  return [...pages.values()].flatMap((page) => {
    const from = seen.series.points.findIndex(({ at }) => at === page[0]?.at);
    const weight = Math.max(...page.map(({ score }) => score)) / threshold;
    const what = `${new Date(page[0]?.at ?? 0).toISOString().slice(0, 10)}: ${weight.toFixed(1)} times the limit`;
    return caseOf(seen, { from, to: from + page.length }, what, weight);
  });
}

function caseOf({ series, ranges }: Seen, span: Span, what: string, weight: number): Case {
  return {
    title: `${series.name.replace(/^nab_/, '').replaceAll('_', ' ')}, ${what}`,
    ...{ series: series.name, weight, span, ranges },
    values: series.points.map(({ value }) => value),
    around: series.grain === 'hour' ? [120, 48] : [42, 14],
  };
}

function sumIn(points: Series['points'], { from, to }: Span): number {
  return points.slice(from, to).reduce((sum, { value }) => sum + (value ?? 0), 0);
}

function worst(cases: Case[], count: number): Case[] {
  const chosen: Case[] = [];
  for (const each of cases.toSorted((a, b) => b.weight - a.weight))
    if (chosen.filter(({ series }) => series === each.series).length < OF_A_SERIES) chosen.push(each);
  return chosen.slice(0, count);
}

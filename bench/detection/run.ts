import { parseArgs } from 'node:util';
import { CONTESTANTS } from './contestants.ts';
import { generatedSeries } from './generated.ts';
import { type GrainFigures, type LabelledFigures, measureGrain, measureLabelled } from './measure.ts';
import { mean } from './scoring.ts';
import { readSeries } from './series.ts';

interface Figures {
  hourly: GrainFigures;
  daily: GrainFigures;
  labelled: LabelledFigures;
}

/**
 * The seasonal detector beside its rivals: the share of injected incidents found at a budget of false pages, labelled
 * incidents, and false pages at the published defaults. `--data DIR` takes the series from a folder; without it they
 * are generated.
 */
export async function run(options: string[]) {
  const { values } = parseArgs({ args: options, options: { data: { type: 'string' } } });
  const series = values.data === undefined ? generatedSeries() : readSeries(values.data);
  const startedAt = performance.now();
  const figures = CONTESTANTS.map((contestant): [string, Figures] => {
    console.error(`${contestant.name}, after ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
    const [hourly, daily] = (['hour', 'day'] as const).map((grain) =>
      measureGrain(
        contestant,
        series.filter((each) => each.grain === grain),
        grain,
      ),
    );
    if (!hourly || !daily) throw new TypeError('two grains were measured');
    return [contestant.name, { hourly, daily, labelled: measureLabelled(contestant, series) }];
  });
  printOverview(figures);
  const [own, ...rivals] = figures;
  if (!own) throw new TypeError('no process was measured');
  printDetails(own[1]);
  const byName = Object.fromEntries(rivals.map(([name, each]) => [name, summaryOf(each)]));
  return { ...summaryOf(own[1]), rivals: byName };
}

function summaryOf({ hourly, daily, labelled }: Figures) {
  const [hourly025 = 0, hourly01 = 0] = hourly.recall.map(round);
  const [daily01 = 0, daily005 = 0] = daily.recall.map(round);
  return {
    hourly: { recallAt025: hourly025, recallAt01: hourly01 },
    daily: { recallAt01: daily01, recallAt005: daily005 },
    labelled: { f1: round(labelled.f1), f1LeaveOneOut: round(labelled.leaveOneOut) },
    falsePages: { hourly: round(hourly.falsePages), daily: round(daily.falsePages) },
  };
}

function printOverview(figures: [string, Figures][]): void {
  console.log(
    'Injected incidents found at a budget of false pages a series-week, pooled F1 on labelled ones,',
  );
  console.log('and false pages a series-week at the published default.\n');
  const rows = figures.map(([name, each]) => {
    const { hourly, daily, labelled, falsePages } = summaryOf(each);
    return {
      '': name,
      'hourly .25': hourly.recallAt025,
      'hourly .1': hourly.recallAt01,
      'daily .1': daily.recallAt01,
      'daily .05': daily.recallAt005,
      F1: labelled.f1,
      'F1, left out': labelled.f1LeaveOneOut,
      'false hourly': falsePages.hourly,
      'false daily': falsePages.daily,
    };
  });
  printTable(rows);
}

/** Where the own figures come from, so that no series or scenario carries them unseen. */
function printDetails({ hourly, daily, labelled }: Figures): void {
  for (const [name, { cells }] of [
    ['hourly', hourly],
    ['daily', daily],
  ] as const)
    for (const by of ['series', 'scenario'] as const) {
      console.log(`\ndeltawatch, ${name}, by ${by}, at the two budgets`);
      const groups = [...Map.groupBy(cells, (cell) => cell[by])];
      printTable(
        groups.map(([group, of]) => ({
          '': group,
          larger: round(mean(of.map(({ recall }) => recall[0] ?? 0))),
          smaller: round(mean(of.map(({ recall }) => recall[1] ?? 0))),
        })),
      );
    }
  console.log('\ndeltawatch, labelled');
  printTable(labelled.hits.map(({ series, hits }) => ({ '': series, ...hits })));
}

function printTable(rows: Record<string, string | number>[]): void {
  const heads = Object.keys(rows[0] ?? {});
  const widths = heads.map((head) =>
    Math.max(...[head, ...rows.map((row) => String(row[head]))].map(({ length }) => length)),
  );
  const line = (cells: (string | number)[]) =>
    cells
      .map((cell, i) =>
        i === 0 ? String(cell).padEnd(widths[i] ?? 0) : String(cell).padStart(widths[i] ?? 0),
      )
      .join('  ');
  console.log(line(heads));
  for (const row of rows) console.log(line(Object.values(row)));
}

function round(figure: number): number {
  return Math.round(figure * 1000) / 1000;
}

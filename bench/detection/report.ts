import { type Ahead, type Results, ROWS, type Row, rowsOf } from './comparison.ts';
import { type Figure, type Interval, intervalOf } from './figure.ts';
import type { YoungFigures } from './measure-young.ts';
import { type CrossValidated, mean } from './scoring.ts';

const TITLES: Record<Row, string> = {
  'hourly.recallAt025': 'hourly, at .25',
  'hourly.recallAt01': 'hourly, at .1',
  'daily.recallAt01': 'daily, at .1',
  'daily.recallAt005': 'daily, at .05',
  'tweets.f1': 'tweets, F1',
  'tweets.f1LeaveOneOut': 'tweets, F1 left out',
  'labelled.recallAt1': 'labelled, at 1',
  'labelled.recallAt025': 'labelled, at .25',
  'labelled.recallAt01': 'labelled, at .1',
  'labelled.f1': 'labelled, F1',
  'young.found': 'young, at .17',
};

const LEGEND = `
hourly, daily  recall of injected changes at .25 and .1 (daily: .1 and .05)
               false pages per series-week
tweets         F1 on known incidents at the published default, and with the
               threshold of each series chosen on the others
labelled       recall of labelled stretches at 1, .25 and .1 false pages per
               series-week
young          recall of incidents of young apps, by day, at .17 false pages
               per app-month
false, F1      false pages per series-week of hourly, daily and labelled series,
               and F1 on labelled series, at the published default
`;

export function printContestants(all: readonly Results[]): void {
  console.log(LEGEND);
  const nameWidth = Math.max(...all.map(({ name }) => name.length));
  const line = (name: string, cells: string[]) =>
    name.padEnd(nameWidth) +
    cells.map((cell, i) => cell.padStart([0, 2, 4, 5, 8, 9, 12].includes(i) ? 5 : 4)).join('');
  console.log(`${' '.repeat(nameWidth)}   hourly    daily  twts   labelled  yng  false        F1`);
  console.log(line('', '.25 .1 .1 .05 out 1 .25 .1 .17 hr day lab lab'.split(' ')));
  for (const each of all) {
    const rows = rowsOf(each);
    const { hourly, daily, labelled } = each;
    const compared = ROWS.filter((row) => row !== 'labelled.f1' && row !== 'tweets.f1').map(
      (row) => rows[row].value,
    );
    const falsePages = [hourly, daily, labelled].map((group) => group.falsePages);
    const figures = [...compared, ...falsePages, labelled.f1.value];
    console.log(line(each.name, figures.map(short)));
  }
}

/** Recall with each series at the threshold that the others give. */
export function printCrossValidated(all: readonly Results[]): void {
  for (const figure of ['recall', 'falsePages'] as const)
    printTable(
      `Each series at the threshold that the others give: ${figure === 'recall' ? 'recall' : 'false pages'}`,
      all.map(({ name, hourly, daily, labelled, young }) => {
        const { found, falsePerAppMonth } = young.crossValidated;
        return {
          '': name,
          ...cellsOf('hr', ['.25', '.1'], hourly.crossValidated, figure),
          ...cellsOf('day', ['.1', '.05'], daily.crossValidated, figure),
          ...cellsOf('lab', ['1', '.25', '.1'], labelled.crossValidated, figure),
          young: short(figure === 'recall' ? found : falsePerAppMonth),
        };
      }),
    );
}

function cellsOf(
  group: string,
  budgets: string[],
  figures: CrossValidated[],
  figure: keyof CrossValidated,
): Record<string, string> {
  return Object.fromEntries(
    budgets.map((budget, i) => [`${group} ${budget}`, short(figures[i]?.[figure] ?? Number.NaN)]),
  );
}

export interface Comparison {
  row: Row;
  own: Figure;
  ownInterval: Interval;
  rival: string;
  theirs: Figure;
  theirInterval: Interval;
}

/** The own figure of each row beside the best rival's. */
export function comparisonsOf(own: Results, rivals: readonly Results[]): Comparison[] {
  const ownRows = rowsOf(own);
  const rivalRows = rivals.map((rival) => ({ name: rival.name, rows: rowsOf(rival) }));
  return ROWS.filter((row) => ownRows[row].series > 0).flatMap((row) => {
    const [best] = rivalRows.toSorted((a, b) => b.rows[row].value - a.rows[row].value);
    if (!best) return [];
    const [ownFigure, theirs] = [ownRows[row], best.rows[row]];
    const [ownInterval, theirInterval] = [ownFigure, theirs].map(intervalOf);
    if (!ownInterval || !theirInterval) return [];
    return [{ row, own: ownFigure, ownInterval, rival: best.name, theirs, theirInterval }];
  });
}

export function printComparisons(comparisons: readonly Comparison[], ahead: readonly Ahead[]): void {
  console.log('\nEach row beside the best rival, with 90% bootstrap intervals over the n series,');
  console.log('and the number of rivals ahead.\n');
  const withInterval = ({ value }: Figure, { low, high }: Interval) =>
    `${short(value).padEnd(3)} (${short(low)} to ${short(high)})`.padEnd(17);
  console.log(`${'n'.padStart(22)} ${'deltawatch'.padEnd(17)}${'best rival'.padEnd(34)} ahead`);
  for (const each of comparisons) {
    const title = TITLES[each.row].padEnd(19) + String(each.own.series).padStart(3);
    const own = withInterval(each.own, each.ownInterval);
    const rival = withInterval(each.theirs, each.theirInterval) + each.rival.padEnd(17);
    const count = ahead.filter(({ row }) => row === each.row).length;
    console.log(`${title} ${own}${rival}${String(count).padStart(6)}`);
  }
  const behind = new Set(ahead.map(({ row }) => row)).size;
  console.log(
    behind === 0 ? '\nNo rival is ahead.' : `\nA rival is ahead in ${behind} of ${comparisons.length} rows.`,
  );
}

/** The own figures by series and by scenario. */
export function printDetails({ hourly, daily, tweets, labelled, young }: Results, youngHourly: YoungFigures) {
  for (const [name, { kinds }] of Object.entries({ 'by day': young, 'by hour': youngHourly }))
    printTable(
      `deltawatch, young apps ${name}, found`,
      Object.entries(kinds).map(([kind, { found, atDefault }]) => ({
        ...{ '': kind, 'at the budget': short(found), 'at the default': short(atDefault) },
      })),
    );
  for (const [name, { cells }] of Object.entries({ hourly, daily }))
    for (const by of ['series', 'scenario'] as const) {
      const groups = [...Map.groupBy(cells, (cell) => cell[by])];
      printTable(
        `deltawatch, ${name}, recall by ${by}, at the larger and the smaller budget`,
        groups.map(([group, of]) => ({
          '': group,
          larger: short(mean(of.map(({ recall }) => recall[0] ?? 0))),
          smaller: short(mean(of.map(({ recall }) => recall[1] ?? 0))),
        })),
      );
    }
  for (const [name, { hits }] of Object.entries({ tweets, labelled }))
    printTable(
      `deltawatch, ${name}, at the default`,
      hits.map((each) => ({
        '': each.series,
        found: each.hits.hit,
        missed: each.hits.missed,
        'false pages': each.hits.falsePages,
      })),
    );
}

function printTable(title: string, rows: Record<string, string | number>[]): void {
  if (rows.length === 0) return;
  console.log(`\n${title}`);
  const heads = Object.keys(rows[0] ?? {});
  const widths = heads.map((head) => Math.max(...[head, ...rows.map((row) => `${row[head]}`)].map(lengthOf)));
  const line = (cells: (string | number)[]) =>
    cells
      .map((cell, i) => (i === 0 ? `${cell}`.padEnd(widths[i] ?? 0) : `${cell}`.padStart(widths[i] ?? 0)))
      .join('  ');
  console.log(line(heads));
  for (const row of rows) console.log(line(Object.values(row)));
}

function lengthOf(text: string): number {
  return text.length;
}

/** At most three characters up to 99: `.54`, `6.6`, `12`. */
function short(figure: number): string {
  if (Number.isNaN(figure)) return '-';
  const digits = figure < 0.995 ? 2 : figure < 9.95 ? 1 : 0;
  const text = figure.toFixed(digits);
  if (Number(text) === 0) return '0';
  return text.replace(/^0/, '').replace(/\.0$/, '');
}

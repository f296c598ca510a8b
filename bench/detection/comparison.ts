import type { Contestant } from './contestant.ts';
import type { Data } from './data.ts';
import type { Figure } from './figure.ts';
import { type GrainFigures, measureGrain } from './measure.ts';
import {
  type CountsFigures,
  type IncidentFigures,
  measureCounts,
  measureIncidents,
} from './measure-labels.ts';
import { measureYoung, type YoungFigures } from './measure-young.ts';

export interface Results {
  name: string;
  hourly: GrainFigures;
  daily: GrainFigures;
  tweets: IncidentFigures;
  labelled: CountsFigures;
  /** By day. */
  young: YoungFigures;
}

export function measure(contestant: Contestant, { series, labelled, youngApps }: Data): Results {
  const [hours, days] = (['hour', 'day'] as const).map((grain) =>
    series.filter((each) => each.grain === grain),
  );
  return {
    name: contestant.name,
    hourly: measureGrain(contestant, hours ?? [], 'hour'),
    daily: measureGrain(contestant, days ?? [], 'day'),
    tweets: measureIncidents(contestant, series),
    labelled: measureCounts(contestant, labelled),
    young: measureYoung(contestant, 'day', youngApps.day),
  };
}

/** The rows that contestants are compared in. More is better. */
export const ROWS = [
  'hourly.recallAt025',
  'hourly.recallAt01',
  'daily.recallAt01',
  'daily.recallAt005',
  'tweets.f1',
  'tweets.f1LeaveOneOut',
  'labelled.recallAt1',
  'labelled.recallAt025',
  'labelled.recallAt01',
  'labelled.f1',
  'young.found',
] as const;
export type Row = (typeof ROWS)[number];

const NONE: Figure = { value: Number.NaN, of: () => Number.NaN, series: 0 };

export function rowsOf({
  hourly,
  daily,
  tweets,
  labelled,
  young,
}: Omit<Results, 'name'>): Record<Row, Figure> {
  return {
    'hourly.recallAt025': hourly.recall[0] ?? NONE,
    'hourly.recallAt01': hourly.recall[1] ?? NONE,
    'daily.recallAt01': daily.recall[0] ?? NONE,
    'daily.recallAt005': daily.recall[1] ?? NONE,
    'tweets.f1': tweets.f1,
    'tweets.f1LeaveOneOut': tweets.leaveOneOut,
    'labelled.recallAt1': labelled.recall[0] ?? NONE,
    'labelled.recallAt025': labelled.recall[1] ?? NONE,
    'labelled.recallAt01': labelled.recall[2] ?? NONE,
    'labelled.f1': labelled.f1,
    'young.found': young.found,
  };
}

export interface Ahead {
  row: Row;
  rival: string;
  own: number;
  theirs: number;
}

export interface Compared {
  name: string;
  rows: Record<Row, Pick<Figure, 'value'>>;
}

/** Every rival with a higher figure, by row, the best first. Figures that are equal after rounding are a tie. */
export function rivalsAhead(own: Compared, rivals: readonly Compared[]): Ahead[] {
  return ROWS.flatMap((row) => {
    const ownValue = rounded(own.rows[row].value);
    return rivals
      .map(({ name, rows }) => ({ row, rival: name, own: ownValue, theirs: rounded(rows[row].value) }))
      .filter(({ theirs }) => theirs > ownValue)
      .toSorted((a, b) => b.theirs - a.theirs);
  });
}

export function rounded(figure: number): number {
  return Math.round(figure * 1000) / 1000;
}

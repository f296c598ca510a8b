import type { Crowded } from './concurrency.ts';
import type { Question } from './question.ts';
import { median, round } from './timing.ts';

/** A request costs so much before any query; the ratio that is held to a target is taken beyond it. */
const REQUEST_MS = 5;

interface Measured {
  readonly events: number;
  readonly alone: readonly Alone[];
  /** Why PostgreSQL was not asked, if so. */
  readonly withoutPostgres: string | undefined;
  readonly crowd: readonly Crowded[];
  readonly residentMb: number;
}

/** The figures as they are printed: the summary, then a row for each question. Times in milliseconds, medians. */
export function summarized({ events, alone, withoutPostgres, crowd, residentMb }: Measured) {
  const rows = alone.map((each) => rowOf(each, crowd));
  const analytics = rows.filter(({ kind }) => kind === 'analytics');
  const over = analytics.flatMap(({ postgresOverHttp = [] }) => postgresOverHttp);
  const [firstPage, deepPage] = rows.filter(({ name }) => name.startsWith('event list'));
  return {
    events,
    medianOverRaw: round(median(rows.map(({ overRaw }) => overRaw))),
    worstOverRaw: Math.max(...rows.map(({ overRaw }) => overRaw)),
    medianOverRawBeyond5Ms: round(median(rows.map(({ overRawBeyond5Ms }) => overRawBeyond5Ms))),
    worstOverRawBeyond5Ms: Math.max(...rows.map(({ overRawBeyond5Ms }) => overRawBeyond5Ms)),
    deepPageRatio: firstPage && deepPage && round(deepPage.httpMs / firstPage.httpMs),
    ...(withoutPostgres
      ? { withoutPostgres }
      : { postgresOverHttpMedian: round(median(over)), postgresOverHttpLeast: Math.min(...over) }),
    p99Over16Clients: Math.max(...rows.map(({ p99OverAlone }) => p99OverAlone)),
    p99Over16ClientsMixed: Math.max(...rows.map(({ mixedP99OverAlone }) => mixedP99OverAlone)),
    errorsOver16Clients: crowd.reduce((sum, { errors }) => sum + errors, 0),
    residentMb: Math.round(residentMb),
    queries: rows,
  };
}

function rowOf({ question, httpMs, rawMs, postgresMs }: Alone, crowd: readonly Crowded[]) {
  const { name, kind, app } = question;
  const crowded = crowd.find((each) => each.name === name);
  if (crowded === undefined) throw new TypeError(`${name} was not asked under load`);
  const { aloneMs, p99Ms, mixedP99Ms } = crowded;
  return {
    name,
    kind,
    app,
    httpMs: round(httpMs),
    rawMs: round(rawMs),
    overRaw: round(httpMs / rawMs),
    overRawBeyond5Ms: round(Math.max(0, httpMs - REQUEST_MS) / rawMs),
    ...(postgresMs !== undefined && {
      postgresMs: round(postgresMs),
      postgresOverHttp: round(postgresMs / httpMs),
    }),
    aloneMs: round(aloneMs),
    p99Ms: round(p99Ms),
    p99OverAlone: round(p99Ms / aloneMs),
    mixedP99Ms: round(mixedP99Ms),
    mixedP99OverAlone: round(mixedP99Ms / aloneMs),
  };
}

/** One question without other clients; medians. */
export interface Alone {
  readonly question: Question;
  readonly httpMs: number;
  readonly rawMs: number;
  readonly postgresMs: number | undefined;
}

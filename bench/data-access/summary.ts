import type { Crowded } from './concurrency.ts';
import { PEER_NAMES, type PeerName } from './peer.ts';
import type { PeerTimes } from './peers.ts';
import type { Question } from './question.ts';
import { median, round } from './timing.ts';

/** The fixed cost of a request without its query. The ratios with a target exclude it. */
const REQUEST_MS = 5;

interface Measured {
  readonly events: number;
  readonly alone: readonly Alone[];
  readonly crowd: readonly Crowded[];
  readonly residentMb: number;
}

/** The printed figures: the summary, and one row per question. Times are medians in milliseconds. */
export function summarized({ events, alone, crowd, residentMb }: Measured) {
  const rows = alone.map((each) => rowOf(each, crowd));
  const fromHours = rows.filter((row) => row.fromHours);
  const [firstPage, deepPage] = rows.filter(({ name }) => name.startsWith('event list'));
  return {
    events,
    medianOverRawFromHours: round(median(fromHours.map(({ overRaw }) => overRaw))),
    worstOverRawFromHours: Math.max(...fromHours.map(({ overRaw }) => overRaw)),
    medianOverRaw: round(median(rows.map(({ overRaw }) => overRaw))),
    worstOverRaw: Math.max(...rows.map(({ overRaw }) => overRaw)),
    medianOverRawBeyond5Ms: round(median(rows.map(({ overRawBeyond5Ms }) => overRawBeyond5Ms))),
    worstOverRawBeyond5Ms: Math.max(...rows.map(({ overRawBeyond5Ms }) => overRawBeyond5Ms)),
    deepPageRatio: firstPage && deepPage && round(deepPage.httpMs / firstPage.httpMs),
    ...Object.fromEntries(PEER_NAMES.map((name) => [name, peerOver(alone, name)])),
    p99Over16Clients: Math.max(...rows.map(({ p99OverAlone }) => p99OverAlone)),
    p99Over16ClientsMixed: Math.max(...rows.map(({ mixedP99OverAlone }) => mixedP99OverAlone)),
    errorsOver16Clients: crowd.reduce((sum, { errors }) => sum + errors, 0),
    residentMb: Math.round(residentMb),
    queries: rows,
  };
}

/** How many times as long as HTTP a peer took for the questions of analytics, and where it failed. */
function peerOver(alone: readonly Alone[], name: PeerName) {
  const over: number[] = [];
  const failed = alone.flatMap(({ question, peers: { [name]: time } }) =>
    'failed' in time ? [{ question: question.name, why: time.failed }] : [],
  );
  for (const { question, httpMs, peers } of alone) {
    const time = peers[name];
    if ('ms' in time && question.kind === 'analytics') over.push(time.ms / httpMs);
  }
  return {
    ...(over.length > 0 && {
      overHttpMedian: round(median(over)),
      overHttpLeast: round(Math.min(...over)),
      overHttpMost: round(Math.max(...over)),
    }),
    ...(failed.length > 0 && { failed }),
  };
}

function rowOf({ question, fromHours, httpMs, rawMs, peers }: Alone, crowd: readonly Crowded[]) {
  const { name, kind, app } = question;
  const crowded = crowd.find((each) => each.name === name);
  if (crowded === undefined) throw new TypeError(`${name} was not measured under load`);
  const { aloneMs, p99Ms, mixedP99Ms } = crowded;
  return {
    name,
    kind,
    app,
    fromHours,
    httpMs: round(httpMs),
    rawMs: round(rawMs),
    overRaw: round(httpMs / rawMs),
    overRawBeyond5Ms: round(Math.max(0, httpMs - REQUEST_MS) / rawMs),
    ...Object.fromEntries(
      PEER_NAMES.map((peer) => [`${peer}Ms`, 'ms' in peers[peer] ? round(peers[peer].ms) : null]),
    ),
    aloneMs: round(aloneMs),
    p99Ms: round(p99Ms),
    p99OverAlone: round(p99Ms / aloneMs),
    mixedP99Ms: round(mixedP99Ms),
    mixedP99OverAlone: round(mixedP99Ms / aloneMs),
  };
}

/** Median times of one question without other clients. */
export interface Alone {
  readonly question: Question;
  /** Whether sums of hours answered it. */
  readonly fromHours: boolean;
  readonly httpMs: number;
  readonly rawMs: number;
  readonly peers: PeerTimes;
}

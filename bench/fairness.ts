import { prepareApps } from './data-access/apps.ts';
import { openClient } from './data-access/client.ts';
import { get, lastDays, named, post, type Question } from './data-access/question.ts';
import { CALLERS, keyOf } from './data-access/serving.ts';
import { forkService } from './data-access/serving-apart.ts';
import { median, quantile, round, timed } from './data-access/timing.ts';

const EVENTS = 2_000_000;
const ROUNDS = 4;
/** Long enough for answers to the heavy key too, because neither side may starve. */
const ROUND_MS = 15_000;
/** Concurrent requests of the heavy key. Each sends the next as soon as it is answered. */
const HEAVY_AT_ONCE = 6;

type Asked = Pick<Question, 'app' | 'request'>;

const month = lastDays(30);
const LIGHT: readonly Asked[] = [
  {
    app: 'large',
    request: get('/event/analytics', {
      filters: [named('event_05'), month.filter],
      aggregation: [{ attribute: 'event_count' }],
      comparison: 1,
    }),
  },
  {
    app: 'large',
    request: post('/session/analytics', {
      filters: [lastDays(7).filter],
      group_by: [{ attribute: 'device_platform' }],
      aggregation: [{ attribute: 'session_count' }],
    }),
  },
];

/** All events of the app by four attributes, in two windows: the most that one request may ask for. */
const HEAVY: Asked = {
  app: 'large',
  request: post('/event/analytics', {
    filters: [lastDays(45).filter],
    group_by: ['device_model', 'device_city', 'app_version', 'event_name'].map((attribute) => ({
      attribute,
      max_group_number: 3,
    })),
    aggregation: [
      { attribute: 'event_unique_user_count' },
      { attribute: 'event_unique_session_count' },
      ...['sum', 'avg', 'min', 'max'].map((operator) => ({
        attribute: 'event_custom_property',
        property_name: 'price',
        operator,
      })),
    ],
    comparison: 1,
  }),
};

/**
 * Measures three light keys, in turn alone and beside one heavy key, so that other load on the machine affects both
 * equally. An option sets another number of events.
 */
export async function run([events = String(EVENTS)]: readonly string[]) {
  const directory = await prepareApps(Number(events), note);
  const service = await forkService(directory);
  const rounds: Measured[] = [];
  let refused = 0;
  let heavyAloneMs = 0;
  const onRefused = () => {
    refused += 1;
  };
  try {
    await lightFor(service.port, 1_000, onRefused);
    heavyAloneMs = await heavyAlone(service.port);
    note(`the heavy request takes ${heavyAloneMs} ms alone`);
    for (let round = 1; round <= ROUNDS; round += 1) {
      const alone = await lightFor(service.port, ROUND_MS, onRefused);
      const heavy = openHeavy(service.port);
      const beside = await lightFor(service.port, ROUND_MS, onRefused);
      rounds.push({ alone, beside, heavy: await heavy.end() });
      note(`round ${round}: ${JSON.stringify(ratioOf(rounds.slice(-1)))}`);
    }
  } finally {
    await service.end();
  }
  return { events: Number(events), heavyAloneMs, ...ratioOf(rounds), refused };
}

const note = (text: string): void => console.error(`${new Date().toISOString().slice(11, 19)} ${text}`);

interface Measured {
  readonly alone: readonly number[];
  readonly beside: readonly number[];
  readonly heavy: readonly number[];
}

const p99 = (values: readonly number[]): number => quantile(values, 0.99);

/** The ratios over all rounds. `p99RatioOfRounds` is a median, so a burst of other load in one round hardly affects it. */
function ratioOf(rounds: readonly Measured[]) {
  const all = (part: keyof Measured) => rounds.flatMap((each) => each[part]);
  const [alone, beside, heavy] = [all('alone'), all('beside'), all('heavy')];
  const [aloneP99, besideP99] = [p99(alone), p99(beside)];
  return {
    p99Ratio: round(besideP99 / aloneP99),
    p99RatioOfRounds: round(median(rounds.map((each) => p99(each.beside) / p99(each.alone)))),
    medianRatio: round(median(beside) / median(alone)),
    aloneP99Ms: round(aloneP99),
    besideP99Ms: round(besideP99),
    besideWorstMs: round(Math.max(...beside)),
    asked: { alone: alone.length, beside: beside.length, heavy: heavy.length },
    heavyMedianMs: heavy.length > 0 ? round(median(heavy)) : null,
  };
}

/** Sends requests of each light key back to back. Returns the time of each request, including rejected ones. */
async function lightFor(port: number, ms: number, onRefused: () => void): Promise<number[]> {
  const endsAt = performance.now() + ms;
  const asking = CALLERS.filter((caller) => caller !== 'heavy').map(async (caller) => {
    const client = openClient(port, keyOf(caller));
    const took: number[] = [];
    try {
      for (let at = 0; performance.now() < endsAt; at += 1)
        took.push(await timed(() => client.ask(LIGHT[at % LIGHT.length] ?? HEAVY).catch(onRefused)));
    } finally {
      client.close();
    }
    return took;
  });
  return (await Promise.all(asking)).flat();
}

/** Throws if the heavy request is rejected, because then it is no load. */
async function heavyAlone(port: number): Promise<number> {
  const client = openClient(port, keyOf('heavy'));
  try {
    return round(await timed(() => client.ask(HEAVY)));
  } finally {
    client.close();
  }
}

/** Sends heavy requests until `end` closes the connections and returns the times of the answered requests. */
function openHeavy(port: number): { end(): Promise<number[]> } {
  const took: number[] = [];
  let ended = false;
  const clients = Array.from({ length: HEAVY_AT_ONCE }, () => openClient(port, keyOf('heavy')));
  const asking = clients.map(async (client) => {
    while (!ended) {
      // Closing the connection fails a request. A rejection, such as for a timeout, does not count as an answer either.
      const ms = await timed(() => client.ask(HEAVY)).catch(() => undefined);
      if (ms !== undefined && !ended) took.push(ms);
    }
  });
  return {
    async end() {
      ended = true;
      for (const client of clients) client.close();
      await Promise.all(asking);
      return took;
    },
  };
}

import { ruleNamed, ruleSetOf } from '../test/fixtures/builders.ts';
import { EVERY_OPTION } from '../test/fixtures/every-option.ts';
import { synthesize } from '../test/infra/synthesis.ts';
import { measureFleet, perHour } from './fleet.ts';
import { fleetRules } from './fleet-rules.ts';

const HOURS = 730;

/** List prices of us-east-1 in US dollars, of 2025. A free tier is not subtracted. */
const PRICES = {
  writeUnit: 0.625e-6,
  readUnit: 0.125e-6,
  /** A second of a function on Arm, for each gigabyte of its memory, and of its disk beyond the first half. */
  memorySecond: 0.0000133334,
  diskSecond: 0.0000000309,
  functionCall: 0.2e-6,
  queueRequest: 0.4e-6,
  scheduledCall: 1e-6,
  /** Athena bills at least 10 MB for a query, at 5 dollars for a terabyte. */
  smallestQuery: (10 / 1e6) * 5,
  getObject: 0.4e-6,
  listObjects: 5e-6,
  alarm: 0.1,
  metric: 0.3,
  dashboard: 3,
  secret: 0.4,
};

/** What does not depend on the number of rules. */
const FIXED = {
  ...{ metrics: 13, secrets: 5 },
  /** Notify runs every minute. */
  sweeps: 43_200,
  sweepSeconds: 0.1,
  /** Lambda polls two queues: five connections each, every 20 seconds. */
  polls: 2 * 5 * 3 * 60 * HOURS,
};
const RUNS_PER_HOUR = 4;
const REQUESTS_PER_MESSAGE = 3;
const MEMORY_GB = 0.5;

/** A call of `figures-for-rules` with Athena waits for its query. */
const ATHENA = { secondsPerCall: 2 };
/**
 * A call with DuckDB takes a tenth of a second once its files are there (`lake` measures a fourth of that). Two
 * processes run, and each run finds them gone: they start, list two tables and download 60 days of each.
 */
const DUCKDB = {
  ...{ memoryGb: 2, diskGb: 9.5, secondsPerCall: 0.1 },
  ...{ processes: 2, secondsPerStart: 3, listsPerStart: 2, filesPerStart: 120 },
};

/**
 * The cost of a month on AWS for these numbers of hourly rules (100, 1,000 and 10,000, or the options), from what an
 * hour of `fleet` uses. The figures come from the stage's own service over a small app, with either engine; a service
 * that exists costs nothing more.
 */
export async function run(counts: string[]) {
  const months: Record<string, unknown> = {};
  for (const count of (counts.length > 0 ? counts : ['100', '1000', '10000']).map(Number))
    months[count] = await monthOf(count);
  return { prices: 'us-east-1, 2025', usdPerMonth: months };
}

/** The dollars of the alarms in the templates of a stage with its own service, by the name of its engine. */
function alarmsOf(engine: string): number {
  const [made] = synthesize(
    ruleSetOf(ruleNamed('orders')),
    EVERY_OPTION.filter(({ name }) => name === engine),
  );
  const alarms = made?.resources.filter(({ Type }) => Type === 'AWS::CloudWatch::Alarm') ?? [];
  return alarms.length * PRICES.alarm;
}

async function monthOf(count: number) {
  const { hours } = await measureFleet(fleetRules(count));
  const aMonth = (figure: Parameters<typeof perHour>[1]) => HOURS * perHour(hours, figure);
  const calls = aMonth('batches') + RUNS_PER_HOUR * HOURS + FIXED.sweeps;
  const seconds = aMonth('seconds') + FIXED.sweeps * FIXED.sweepSeconds;
  const shared = {
    table: aMonth('writeUnits') * PRICES.writeUnit + aMonth('readUnits') * PRICES.readUnit,
    functions: seconds * MEMORY_GB * PRICES.memorySecond + calls * PRICES.functionCall,
    queues: (aMonth('batches') * REQUESTS_PER_MESSAGE + FIXED.polls) * PRICES.queueRequest,
    schedules: (RUNS_PER_HOUR * HOURS + FIXED.sweeps) * PRICES.scheduledCall,
    watching: FIXED.metrics * PRICES.metric + PRICES.dashboard + FIXED.secrets * PRICES.secret,
  };
  const figures = aMonth('calls');
  const duckdb = { ...shared, alarms: alarmsOf('duckdb'), figures: figuresOnDuckDb(figures) };
  const athena = {
    ...shared,
    alarms: alarmsOf('athena'),
    figures: figures * (ATHENA.secondsPerCall * MEMORY_GB * PRICES.memorySecond + PRICES.functionCall),
    queries: figures * PRICES.smallestQuery,
  };
  return { duckdb: summed(duckdb, count), athena: summed(athena, count) };
}

function figuresOnDuckDb(calls: number): number {
  const { memoryGb, diskGb, processes, secondsPerCall, secondsPerStart, listsPerStart, filesPerStart } =
    DUCKDB;
  const starts = processes * RUNS_PER_HOUR * HOURS;
  const seconds = calls * secondsPerCall + starts * secondsPerStart;
  return (
    seconds * (memoryGb * PRICES.memorySecond + diskGb * PRICES.diskSecond) +
    calls * PRICES.functionCall +
    starts * (listsPerStart * PRICES.listObjects + filesPerStart * PRICES.getObject)
  );
}

function summed(parts: Readonly<Record<string, number>>, count: number) {
  const total = Object.values(parts).reduce((sum, usd) => sum + usd);
  const rounded = Object.entries(parts).map(([name, usd]) => [name, round(usd)]);
  return { total: round(total), centsPerRule: round((100 * total) / count), ...Object.fromEntries(rounded) };
}

const round = (usd: number): number => Math.round(usd * 100) / 100;

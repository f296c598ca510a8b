import { cadenceName } from '../../shared/time/cadence.ts';
import { DAY_MS, HOUR_MS } from '../../shared/units/durations.ts';
import { MONDAY } from '../fixtures/builders.ts';
import { Faults, type Happened } from './faults.ts';
import { Installation } from './installation.ts';
import { broken } from './invariants.ts';
import { poisonOf } from './poisoned-alerts.ts';
import { DAYS, type Scenario, scenarioOf } from './scenario.ts';

export interface Run {
  seed: number;
  /** One sentence per broken invariant. */
  broken: string[];
  happened: Happened[];
  deliveries: number;
}

const FAULTY = {
  from: MONDAY + (DAYS.faultless + 1) * DAY_MS + 14 * HOUR_MS,
  until: MONDAY + DAYS.busy * DAY_MS,
};

const undisturbed = new Map<number, Promise<Installation>>();

/**
 * Runs the scenario of the seed with its faults, except `leftOut`, and checks the invariants. Even seeds run on SQLite, odd
 * ones on the stores in memory.
 */
export async function runSeed(seed: number, leftOut?: ReadonlySet<string>): Promise<Run> {
  const scenario = scenarioOf(seed);
  const reference =
    undisturbed.get(scenario.id) ?? live(scenario, new Faults(scenario.id, { from: 0, until: 0 }));
  undisturbed.set(scenario.id, reference);
  const rejections: string[] = [];
  const onRejection = (reason: unknown) => void rejections.push(`a rejection was not handled: ${reason}`);
  process.on('unhandledRejection', onRejection);
  try {
    const run = await live(scenario, new Faults(seed, { leftOut, ...FAULTY }), seed % 2 === 0);
    return {
      ...{ seed, happened: run.faults.happened, deliveries: run.deliveries },
      broken: [...rejections, ...broken(run, await reference, scenario)],
    };
  } finally {
    process.off('unhandledRejection', onRejection);
  }
}

/** Runs all days of the scenario. */
async function live(scenario: Scenario, faults: Faults, isOnSqlite = false): Promise<Installation> {
  const installation = new Installation(scenario, faults, {
    startAt: MONDAY,
    isOnSqlite,
    poison: poisonOf(faults, FAULTY),
  });
  const { scheduler } = installation;
  for (const { day, ruleSet } of scenario.deployments)
    scheduler.at(MONDAY + day * DAY_MS + HOUR_MS / 2, () => installation.deploy(ruleSet));
  const rules = scenario.deployments.flatMap(({ ruleSet }) => ruleSet.rules);
  const cadences = new Map(rules.map(({ cadence }) => [cadenceName(cadence), cadence]));
  for (const [name, { hour }] of cadencesAt(cadences))
    for (let day = 0; day < DAYS.all; day++)
      installation.tick(name, MONDAY + (day + 1) * DAY_MS + hour * HOUR_MS);
  await scheduler.runUntil(MONDAY + (DAYS.all + 1) * DAY_MS);
  return installation;
}

function cadencesAt(cadences: ReadonlyMap<string, unknown>): [string, { hour: number }][] {
  return [...cadences.keys()].map((name) => [name, { hour: name.includes('13') ? 13 : 1 }]);
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readRules } from '../../cli/options/read-rules.ts';
import type { RuleSet } from '../../shared/alerting/deployments/rule-store.ts';
import { INCIDENT_VERSION, importOwnData, OWN_APP, ownDataSpan } from '../../test/fixtures/own-data.ts';
import { cutApp } from './cut-app.ts';
import { realLogs } from './real-logs.ts';
import { replayed } from './replayed.ts';
import { type Incident, type Score, scoreOf, strayLine } from './scoring.ts';

const RULES = fileURLToPath(new URL('../../test/fixtures/own-data-rules', import.meta.url));
const LENGTHS = [10, 14, 21, 30, 60] as const;
const MONTH_DAYS = 30;

/** How often the incident of one length was found, and what was false with it and without it. */
interface Tally {
  days: number;
  found: number;
  runs: number;
  withIncident: Score['strays'];
  without: Score['strays'];
}

/**
 * What a newcomer gets who imports a few weeks of events and writes the first rules. The events are those of
 * `test/fixtures/own-data.ts`: three names, 2,000 a day, steady but for weekends, Poisson noise; with every odd seed the
 * first day begins in its middle. During the last three days failed checkouts of 5.2.0 go from 36 a day to 127, and in a
 * second run of each seed and length they do not.
 *
 * The rules are those of `test/fixtures/own-data-rules`: the one that must find the incident (that event by
 * `app_version`, +50% against the same weekday, at least 30), and three that a newcomer writes beside it: all events by
 * name, checkouts by the hour, and failed checkouts to checkouts. Events by name and the ratio may say so too when the
 * incident is there. Every other alert is false, in either run, "stopped" and "flapping" included.
 *
 * Each export of the longest length goes through the import; the shorter ones are cut out of it. The rules are replayed
 * over each as a backtest does, which begins a week before the data. `--seeds N` takes fewer than 20, `--days 14` one length.
 *
 * `--data DIR` takes a folder of real logs instead: `events/college_messages.csv`, and the series of `series/`.
 */
export async function run(options: string[]) {
  const { values } = parseArgs({
    args: options,
    options: {
      seeds: { type: 'string', default: '20' },
      days: { type: 'string' },
      data: { type: 'string' },
    },
  });
  if (values.data !== undefined) return await realLogs(values.data);
  const lengths = values.days === undefined ? LENGTHS : [Number(values.days)];
  const ruleSet = await readRules(RULES);
  const tallies = lengths.map((days): Tally => ({ days, found: 0, runs: 0, withIncident: [], without: [] }));
  const seeds = Array.from({ length: Number(values.seeds) }, (_, i) => i + 1);
  const left = seeds.values();
  const lane = async () => {
    for (const seed of left) await measure(seed, tallies, ruleSet);
  };
  // While the database of one import works, another is read.
  await Promise.all([lane(), lane()]);
  printTable(tallies);
  return Object.fromEntries(tallies.map((tally) => [`d${tally.days}`, summaryOf(tally)]));
}

async function measure(seed: number, tallies: Tally[], ruleSet: RuleSet): Promise<void> {
  const lengths = tallies.map(({ days }) => days);
  const [hits, quiets] = await Promise.all(
    [true, false].map((incident) => scoresFor({ seed, incident, lengths }, ruleSet)),
  );
  for (const [i, tally] of tallies.entries()) {
    const [hit, quiet] = [hits?.[i], quiets?.[i]];
    if (!hit || !quiet) throw new TypeError('each length is scored twice');
    tally.runs += 1;
    tally.found += hit.isFound ? 1 : 0;
    tally.withIncident.push(...hit.strays);
    tally.without.push(...quiet.strays);
    const found = hit.isFound ? 'found' : 'missed';
    console.error(
      `seed ${seed}, ${tally.days} days: ${found}, false ${hit.strays.length} and ${quiet.strays.length}`,
    );
    for (const each of hit.strays) console.error(`  incident  ${strayLine(each)}`);
    for (const each of quiet.strays) console.error(`  none      ${strayLine(each)}`);
  }
}

/** Of the same last days in each length. */
async function scoresFor(
  { seed, incident, lengths }: { seed: number; incident: boolean; lengths: number[] },
  ruleSet: RuleSet,
): Promise<Score[]> {
  const dir = await mkdtemp(join(tmpdir(), 'deltawatch-own-data-'));
  const longest = Math.max(...lengths);
  try {
    await importOwnData(dir, { seed, incident, days: longest });
    const scores: Score[] = [];
    for (const days of lengths) {
      const { from, until, incidentFrom } = ownDataSpan({ seed, days });
      const cut = join(dir, `${days}`);
      if (days < longest) await cutApp(dir, cut, { app: OWN_APP, from });
      const notified = await replayed(days < longest ? cut : dir, ruleSet, { startAt: from, endAt: until });
      scores.push(scoreOf(notified, incident ? incidentOf(incidentFrom) : undefined));
    }
    return scores;
  } finally {
    await rm(dir, { recursive: true });
  }
}

function incidentOf(from: number): Incident {
  return {
    from,
    finder: { rule: 'checkout-failed-by-version', segment: INCIDENT_VERSION },
    alsoSeenBy: [
      { rule: 'events-by-name', segment: 'Checkout failed' },
      { rule: 'failed-share', segment: null },
    ],
  };
}

function summaryOf({ days, found, runs, withIncident, without }: Tally) {
  const months = (2 * runs * days) / MONTH_DAYS;
  return {
    found: round(found / runs),
    falsePerAppMonth: round((withIncident.length + without.length) / months),
  };
}

function printTable(tallies: Tally[]): void {
  console.log('days  found     false alerts: with incident  without  by rule');
  for (const { days, found, runs, withIncident, without } of tallies) {
    const byRule = Object.entries(Object.groupBy([...withIncident, ...without], ({ rule }) => rule))
      .map(([rule, each]) => `${each?.length} ${rule}`)
      .join(', ');
    console.log(
      `${String(days).padStart(4)}  ${`${found} of ${runs}`.padEnd(8)}  ${String(withIncident.length).padStart(26)}  ${String(without.length).padStart(7)}  ${byRule}`,
    );
  }
}

function round(figure: number): number {
  return Math.round(figure * 1000) / 1000;
}

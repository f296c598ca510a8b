import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readRules } from '../../cli/options/read-rules.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import { INCIDENT_VERSION, importOwnData, OWN_APP, ownDataSpan } from '../../test/fixtures/own-data.ts';
import { cutApp } from './cut-app.ts';
import { realLogs } from './real-logs.ts';
import { replayed } from './replayed.ts';
import { falseAlertLine, type Incident, type Score, scoreOf } from './scoring.ts';

const RULES = fileURLToPath(new URL('../../test/fixtures/own-data-rules', import.meta.url));
const LENGTHS = [10, 14, 21, 30, 60] as const;
const MONTH_DAYS = 30;

/** The results for one length: how often the incident was found, and the false alerts with and without it. */
interface Tally {
  days: number;
  found: number;
  runs: number;
  withIncident: Score['falseAlerts'];
  without: Score['falseAlerts'];
}

/**
 * Measures the alerts of a new user who imports a few weeks of events and writes the first rules. The events are those
 * of `test/fixtures/own-data.ts`: three event names and 2,000 events a day, fewer on weekends, with Poisson noise. For odd
 * seeds, the first day starts around noon. In the last three days, failed checkouts of 5.2.0 rise from 36 a day to 127. A
 * second run of each seed and length has no such incident.
 *
 * The rules are those of `test/fixtures/own-data-rules`. One must find the incident: failed checkouts by `app_version`, +50%
 * against the same weekday, at least 30. The other three: all events by name, hourly checkouts, and the ratio of failed
 * checkouts to checkouts. Events by name and the ratio may also report the incident. All other alerts are false,
 * including "stopped" and "flapping".
 *
 * The longest length is imported; the shorter ones are cut from it. Each is replayed like a backtest that starts a week
 * before the data. `--seeds N` sets the number of seeds (default 20), `--days 14` selects one length.
 *
 * `--data DIR` reads a folder of real logs instead: `events/college_messages.csv`, and the series of `series/`.
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
  const remaining = seeds.values();
  const worker = async () => {
    for (const seed of remaining) await measure(seed, tallies, ruleSet);
  };
  // One worker reads while the database of the other imports.
  await Promise.all([worker(), worker()]);
  printTable(tallies);
  return Object.fromEntries(tallies.map((tally) => [`d${tally.days}`, summaryOf(tally)]));
}

async function measure(seed: number, tallies: Tally[], ruleSet: RuleSet): Promise<void> {
  const lengths = tallies.map(({ days }) => days);
  const [withIncident, without] = await Promise.all(
    [true, false].map((incident) => scoresFor({ seed, incident, lengths }, ruleSet)),
  );
  for (const [i, tally] of tallies.entries()) {
    const [hit, quiet] = [withIncident?.[i], without?.[i]];
    if (!hit || !quiet) throw new TypeError(`no score for ${tally.days} days`);
    tally.runs += 1;
    tally.found += hit.isFound ? 1 : 0;
    tally.withIncident.push(...hit.falseAlerts);
    tally.without.push(...quiet.falseAlerts);
    const found = hit.isFound ? 'found' : 'missed';
    console.error(
      `seed ${seed}, ${tally.days} days: ${found}, false ${hit.falseAlerts.length} and ${quiet.falseAlerts.length}`,
    );
    for (const each of hit.falseAlerts) console.error(`  incident  ${falseAlertLine(each)}`);
    for (const each of quiet.falseAlerts) console.error(`  normal    ${falseAlertLine(each)}`);
  }
}

/** Scores each length on data that ends with the same days. */
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
    expected: { rule: 'checkout-failed-by-version', segment: INCIDENT_VERSION },
    alsoIn: [
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

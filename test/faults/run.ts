import { parseArgs } from 'node:util';
import type { Fault } from './faults.ts';
import { catchMutants } from './mutants.ts';
import { runSeed } from './run-seed.ts';
import { reportOf, shrink } from './shrink.ts';

/**
 * Runs seeds one after another and reports the first ones that break an invariant, with as few faults as possible. The last
 * line is JSON. Exits with 1 if an invariant was broken.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '300' },
    from: { type: 'string', default: '1' },
    'until-broken': { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    /** Only the mutants whose names contain this. */
    only: { type: 'string', default: '' },
  },
});

/** The number of broken seeds that are reported in full. */
const REPORTED = 3;

if (values.mutants) process.exitCode = (await catchMutants(Number(values.seeds), values.only)) ? 0 : 1;
else await runSeeds(Number(values.from), Number(values.seeds));
// Killed runs leave timers that would keep the process alive.
process.exit();

async function runSeeds(from: number, seeds: number): Promise<void> {
  const counts = { seeds: 0, kills: 0, lostAnswers: 0, duplicates: 0, deliveries: 0, broken: 0 };
  for (let seed = from; seed < from + seeds; seed++) {
    const run = await runSeed(seed);
    const count = (...faults: Fault[]) => run.happened.filter(({ fault }) => faults.includes(fault)).length;
    counts.seeds += 1;
    counts.kills += count('killed before', 'killed after');
    counts.lostAnswers += count('answer lost');
    counts.duplicates += count('repeated', 'delivered twice');
    counts.deliveries += run.deliveries;
    if (counts.seeds % 500 === 0) process.stderr.write(`${counts.seeds} of ${seeds} seeds\n`);
    if (run.broken.length === 0) continue;
    counts.broken += 1;
    if (counts.broken <= REPORTED) console.log(reportOf(await shrink(run)));
    if (values['until-broken']) break;
  }
  console.log(JSON.stringify(counts));
  if (counts.broken > 0) process.exitCode = 1;
}

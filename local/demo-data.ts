import { join } from 'node:path';
import * as z from 'zod';
import { readJson } from '../functions/data-access/apps/reloading-file.ts';
import { LAYOUT_VERSION } from '../shared/contract/tables.ts';
import type { ShowProgress } from '../shared/pages/progress.ts';
import { DAY_MS } from '../shared/units/durations.ts';
import type { DataSpan } from './catch-up-spans.ts';
import { appPaths } from './data/app-file.ts';
import { type DemoAppOptions, writeDemoApp } from './data/demo/demo-app.ts';
import { exists, ownFolder, replaceText } from './files.ts';
import { progressLine } from './terminal.ts';

const PAST_DAYS = 120;
/** Demo data is generated ahead of time. The service's clock hides future events. */
const AHEAD_DAYS = 14;
/** The data is generated again when no more than this is left. */
const LEAST_AHEAD_DAYS = 3;

export const DEMO = 'demo';

const coverageSchema = z.object({ until: z.iso.datetime(), layout: z.int().optional() });

/** The days of the demo data in `dataDir`; `undefined` if `ensureDemoData` did not write it. */
export async function demoCoverage(dataDir: string): Promise<{ from: number; until: number } | undefined> {
  const coverage = coverageFile(dataDir);
  if (!(await exists(coverage))) return undefined;
  const until = Date.parse((await readJson(coverage, coverageSchema)).until);
  return { from: until - (PAST_DAYS + AHEAD_DAYS) * DAY_MS, until };
}

const coverageFile = (dataDir: string): string => join(dataDir, 'demo.coverage.json');

/** False if the app `demo` in `dataDir` was imported by a user. True before it has data. */
export async function isDemoShop(dataDir: string): Promise<boolean> {
  const { data, incidents } = appPaths(dataDir, DEMO);
  return !(await exists(data)) || (await exists(incidents));
}

/** The span that the demo data covers at least, once it is written. */
export function demoSpan(now: number): DataSpan {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  return { firstAt: today - PAST_DAYS * DAY_MS, lastAt: now + LEAST_AHEAD_DAYS * DAY_MS };
}

/** Writes the demo data, unless it already extends far enough past `now`. */
export async function ensureDemoData(
  dataDir: string,
  now: number,
  signal: AbortSignal,
  show: ShowProgress,
): Promise<void> {
  const coverage = coverageFile(dataDir);
  if ((await exists(coverage)) && (await exists(appPaths(dataDir, DEMO).data))) {
    const { until, layout } = await readJson(coverage, coverageSchema);
    if (layout === LAYOUT_VERSION && Date.parse(until) > now + LEAST_AHEAD_DAYS * DAY_MS) return;
  }
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const until = today + AHEAD_DAYS * DAY_MS;
  const line = progressLine();
  await writeDemoApp({
    dir: dataDir,
    app: DEMO,
    seed: 1,
    from: today - PAST_DAYS * DAY_MS,
    until,
    onProgress: ({ step, days, ofDays }) => {
      signal.throwIfAborted();
      show(step, days, ofDays);
      line.show(step, days, ofDays);
    },
  }).finally(line.end);
  await replaceText(
    coverage,
    JSON.stringify({ until: new Date(until).toISOString(), layout: LAYOUT_VERSION }),
  );
}

/** Days of demo data before a simulation, for the first baselines. */
const LEAD_DAYS = 14;

/** Writes the demo data of a simulated span, unless it exists. Returns the folder. */
export async function demoDataFor(
  span: { from: number; to: number; seed: number },
  stateDir: string,
  onProgress: DemoAppOptions['onProgress'] = () => {},
): Promise<string> {
  const { from, to, seed } = span;
  const dir = join(stateDir, 'simulations', `seed-${seed}-${from}-${to}`);
  await ownFolder(dir);
  if (!(await exists(appPaths(dir, 'demo').data)))
    await writeDemoApp({ dir, app: 'demo', seed, from: from - LEAD_DAYS * DAY_MS, until: to, onProgress });
  return dir;
}

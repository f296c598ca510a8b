import { join } from 'node:path';
import { appPaths, dataSpan } from '../../local/data/app-file.ts';
import { demoCoverage, demoDataFor } from '../../local/demo-data.ts';
import { type Figures, figuresOfFolder, figuresOfService, figuresOfTables } from '../../local/figures.ts';
import { exists } from '../../local/files.ts';
import { progressLine } from '../../local/terminal.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import type { Clock, Millis } from '../../shared/runtime/clock.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import type { FigureOptions } from './figure-source.ts';
import { localSecret, requireTables, serviceWithKey, sourceOf, tablesText } from './figure-source.ts';
import { pathIn, STATE } from './project.ts';

export { type FigureOptions, withFigureOptions } from './figure-source.ts';

/** What the figures are for. */
export interface FigureNeed {
  /** Only its apps matter. */
  ruleSet: { rules: readonly Pick<Rule, 'app'>[] };
  from: Millis;
  to: Millis;
  clock: Clock;
}

const DEMO = 'demo';

/** Extra days of generated data before the period, for baselines. */
const LEAD_DAYS = 21;

/** Opens the source in the options, or the data on this machine. Throws `ConfigError` with the next step. */
export async function openFigures(options: FigureOptions, need: FigureNeed): Promise<Figures> {
  const source = sourceOf(options);
  const { ruleSet, clock } = need;
  const { project } = options;
  const state = pathIn(project, STATE);
  const apps = [...new Set(ruleSet.rules.map(({ app }) => app))];
  switch (source?.kind) {
    case 'service': {
      const { url, apiKey, describe } = await serviceWithKey(source, state);
      return figuresOfService(url, apiKey, { clock, describe });
    }
    case 'tables': {
      const { tables } = source;
      requireTables(tables, apps);
      const readSecret = (name: string) => localSecret(name, state);
      const describe = tablesText(tables);
      return figuresOfTables(tables, { readSecret, folder: pathIn(project, '.') }, { clock, describe });
    }
    case 'folder':
      await requireData(apps, source.dir);
      return figuresOfFolder(source.dir, { clock, describe: `the data in ${source.dir}` });
    case undefined:
      return figuresHere(options, need, apps);
  }
}

async function requireData(apps: string[], dir: string): Promise<void> {
  for (const app of apps) if (!(await dataSpan(dir, app))) throw noData(app, dir);
}

function noData(app: string, dir: string): ConfigError {
  return new ConfigError(
    `there is no data for the app "${app}" in ${dir}: import it with "deltawatch data import", use --data, or name its source under figures in deltawatch.config.ts`,
  );
}

/** The data of this machine, or a generated demo shop. */
async function figuresHere(options: FigureOptions, need: FigureNeed, apps: string[]): Promise<Figures> {
  const { clock } = need;
  const own = join(pathIn(options.project, STATE), 'data');
  await requireData(
    apps.filter((app) => app !== DEMO),
    own,
  );
  const isDemoOnly = apps.every((app) => app === DEMO);
  if (isDemoOnly && !(await hasDemo(own, need)))
    return figuresOfFolder(await generated(options, need), { clock, describe: 'a generated demo shop' });
  await requireData(apps, own);
  return figuresOfFolder(own, { clock, describe: `the data in ${own}` });
}

/** Whether the folder has an imported app `demo`, or all days of the demo shop. */
async function hasDemo(dir: string, { from, to, clock }: FigureNeed): Promise<boolean> {
  if (!(await exists(appPaths(dir, DEMO).data))) return false;
  const coverage = await demoCoverage(dir);
  return !coverage || (coverage.from <= from && Math.min(to, clock.now()) <= coverage.until);
}

/** Whole days, so that all commands of a day share one demo shop. */
async function generated({ project }: FigureOptions, { from, to }: FigureNeed): Promise<string> {
  const span = {
    from: (Math.floor(from / DAY_MS) - LEAD_DAYS) * DAY_MS,
    to: Math.ceil(to / DAY_MS) * DAY_MS,
    seed: 1,
  };
  const line = progressLine();
  const dir = await demoDataFor(span, pathIn(project, STATE), ({ step, days, ofDays }) =>
    line.show(step, days, ofDays),
  );
  line.end();
  return dir;
}

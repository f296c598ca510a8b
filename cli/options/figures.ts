import { join } from 'node:path';
import { appPaths, dataSpan } from '../../local/data/app-file.ts';
import { type FigureSource, openTables } from '../../local/data-access.ts';
import { DEMO, demoCoverage, demoDataFor } from '../../local/demo-data.ts';
import { type Figures, figuresOf } from '../../local/figures.ts';
import { exists, ownFolder } from '../../local/files.ts';
import { openLocalSecrets, secretVariable } from '../../local/secrets.ts';
import { progressLine } from '../../local/terminal.ts';
import { ENGINE_NAMES, type SqlTables } from '../../shared/config/sql-tables.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import type { Clock, Millis } from '../../shared/runtime/clock.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import { type FigureOptions, pathIn, STATE } from './project.ts';

/** What the figures are for. */
export interface FigureNeed {
  /** Only its apps matter. */
  ruleSet: { rules: readonly Pick<Rule, 'app'>[] };
  from: Millis;
  to: Millis;
  clock: Clock;
}

/** Extra days of generated data before the period, for baselines. */
const LEAD_DAYS = 21;

// Here, as the types of the package must do without the library of disposables.
export type OpenFigures = Figures & Disposable;

/** Opens the source in the options, or the data on this machine. Throws `ConfigError` with the next step. */
export async function openFigures(options: FigureOptions, need: FigureNeed): Promise<OpenFigures> {
  const { ruleSet, clock } = need;
  const apps = [...new Set(ruleSet.rules.map(({ app }) => app))];
  const source = await namedSource(options, pathIn(options.project, STATE), apps);
  if (source?.kind === 'folder') await requireData(apps, source.dataDir);
  const figures = figuresOf(source ?? (await sourceHere(options, need, apps)), clock);
  return { ...figures, [Symbol.dispose]: figures.close };
}

/**
 * The source that the options or the configuration name, with the secrets in `state`; `undefined` if neither names
 * one. Throws `ConfigError` if tables lack one of the apps, or a secret is missing.
 */
export async function namedSource(
  { data, project }: FigureOptions,
  state: string,
  appIds: readonly string[],
): Promise<FigureSource | undefined> {
  if (data !== undefined) return { kind: 'folder', dataDir: data };
  const figures = project?.config.figures;
  switch (figures?.kind) {
    case 'service': {
      const { url, apiKeySecret } = figures;
      if (apiKeySecret === undefined)
        throw new ConfigError(
          'figures of deltawatch.config.ts needs apiKeySecret, the name of the secret that holds the API key of the service',
        );
      const apiKey = await localSecret(apiKeySecret, state);
      // A URL may contain credentials, so only its host is printed.
      return { kind: 'service', url, apiKey, describe: `the service at ${new URL(url).host}` };
    }
    case 'tables': {
      const { tables } = figures;
      const known = Object.keys(tables.apps);
      const strange = appIds.find((app) => !known.includes(app));
      if (strange !== undefined)
        throw new ConfigError(
          `figures of deltawatch.config.ts has no app "${strange}": it has ${known.join(', ')}`,
        );
      const readSecret = (name: string) => localSecret(name, state);
      const apps = await openTables(tables, { readSecret, folder: pathIn(project, '.') });
      return { kind: 'tables', apps, tables, describe: tablesText(tables) };
    }
    case 'folder':
      return { kind: 'folder', dataDir: pathIn(project, figures.dir) };
    case undefined:
      return undefined;
  }
}

/** A secret of this machine. Throws `ConfigError` that says where to add it. */
async function localSecret(name: string, state: string): Promise<string> {
  await ownFolder(state);
  const file = join(state, 'secrets.json');
  const value = await (await openLocalSecrets(file)).find(name);
  if (value === undefined)
    throw new ConfigError(`there is no secret "${name}": set ${secretVariable(name)}, or add it to ${file}`);
  return value;
}

/** The tables, as the end of a sentence. */
function tablesText(tables: SqlTables): string {
  if (tables.engine !== 'duckdb') return `your tables in ${ENGINE_NAMES[tables.engine]}`;
  return tables.database === undefined ? 'your files' : `your tables in ${tables.database}`;
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
async function sourceHere(options: FigureOptions, need: FigureNeed, apps: string[]): Promise<FigureSource> {
  const own = join(pathIn(options.project, STATE), 'data');
  await requireData(
    apps.filter((app) => app !== DEMO),
    own,
  );
  const isDemoOnly = options.demo !== false && apps.every((app) => app === DEMO);
  if (isDemoOnly && !(await hasDemo(own, need)))
    return { kind: 'folder', dataDir: await generated(options, need), describe: 'a generated demo shop' };
  await requireData(apps, own);
  return { kind: 'folder', dataDir: own };
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

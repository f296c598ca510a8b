import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { appPaths, exists } from '../../local/data/app-file.ts';
import { demoCoverage } from '../../local/demo-data.ts';
import { type Figures, figuresOfFolder, figuresOfService } from '../../local/figures.ts';
import { appIdsIn } from '../../local/keys.ts';
import { openLocalSecrets, secretVariable } from '../../local/secrets.ts';
import { demoDataFor, requireApps } from '../../local/simulate.ts';
import { progressLine } from '../../local/terminal.ts';
import type { Rule } from '../../shared/alerting/rules/rule.ts';
import type { Clock, Millis } from '../../shared/runtime/clock.ts';
import { ConfigError, InvalidRequestError } from '../../shared/runtime/errors.ts';
import { type FigureOptions, STATE } from './figure-options.ts';
import { pathIn } from './project.ts';

export { type FigureOptions, withFigureOptions } from './figure-options.ts';

/** What the figures are for. */
export interface FigureNeed {
  /** Only its apps matter. */
  ruleSet: { rules: readonly Pick<Rule, 'app'>[] };
  from: Millis;
  to: Millis;
  clock: Clock;
}

const DAY = 86_400_000;
const DEMO = 'demo';

/** Extra days of generated data before the period, for baselines. */
const LEAD_DAYS = 21;

/** Opens the source in the options, or the data on this machine. Throws `ConfigError` with the next step. */
export async function openFigures(options: FigureOptions, need: FigureNeed): Promise<Figures> {
  const { data, service, keySecret } = sourceOf(options);
  const { ruleSet, clock } = need;
  const apps = [...new Set(ruleSet.rules.map(({ app }) => app))];
  const state = pathIn(options.project, STATE);
  if (service !== undefined) return openService(service, { keySecret, state }, clock);
  if (keySecret !== undefined)
    throw new InvalidRequestError('--key-secret requires --service: local data needs no key');
  if (data !== undefined) {
    await requireApps(ruleSet, data);
    return figuresOfFolder(data, apps, { clock, describe: `the data in ${data}` });
  }
  const own = join(state, 'data');
  if (await holds(own, apps, need))
    return figuresOfFolder(own, apps, { clock, describe: `the data in ${own}` });
  const [strange] = apps.filter((app) => app !== DEMO);
  if (strange !== undefined)
    throw new ConfigError(
      `there is no data for the app "${strange}": import it with "deltawatch data import", or use --data, or ` +
        '--service with --key-secret',
    );
  return figuresOfFolder(await generated(options, need), apps, {
    clock,
    describe: `a generated demo shop (seed ${options.seed})`,
  });
}

/** Apps with data, for a check of `apps`; `undefined` where the source, such as a service, cannot list them. */
export async function appsWithFigures(
  options: FigureOptions,
  apps: readonly string[],
): Promise<string[] | undefined> {
  const { data, service } = sourceOf(options);
  if (service !== undefined) return undefined;
  const found = await appIdsIn(data ?? join(pathIn(options.project, STATE), 'data'));
  if (data !== undefined) return found.length > 0 ? found : undefined;
  // The demo shop is generated only where there is no data of other apps.
  return apps.some((app) => found.includes(app)) ? found : [...found, DEMO];
}

/** The source that the options name, or else that of the configuration. */
export function sourceOf(options: FigureOptions): Pick<FigureOptions, 'data' | 'service' | 'keySecret'> {
  const { data, service, keySecret, project } = options;
  const figures = project?.config.figures;
  if (!figures || (data ?? service ?? keySecret) !== undefined) return options;
  if ('data' in figures) return { data: pathIn(project, figures.data) };
  return { service: figures.service, keySecret: figures.apiKeySecret };
}

async function openService(
  service: string,
  where: { keySecret: string | undefined; state: string },
  clock: Clock,
): Promise<Figures> {
  const { url, apiKey, describe } = await serviceWithKey(service, where);
  return figuresOfService(url, apiKey, { clock, describe });
}

/** A service with its API key from the secrets of this machine. `describe` is the end of a sentence. */
export async function serviceWithKey(
  service: string,
  { keySecret, state }: { keySecret: string | undefined; state: string },
): Promise<{ url: string; apiKey: string; describe: string }> {
  if (!URL.canParse(service))
    throw new InvalidRequestError('--service requires a URL such as https://data.example.com');
  if (keySecret === undefined)
    throw new InvalidRequestError(
      '--service requires --key-secret, the name of the secret that holds the API key of the service',
    );
  await mkdir(state, { recursive: true });
  const file = join(state, 'secrets.json');
  const key = await (await openLocalSecrets(file)).find(keySecret);
  if (key === undefined)
    throw new ConfigError(
      `there is no secret "${keySecret}": set ${secretVariable(keySecret)}, or add it to ${file}`,
    );
  // A URL may contain credentials, so only its host is printed.
  const { host } = new URL(service);
  return { url: service, apiKey: key, describe: `the service at ${host}` };
}

/** Whether the folder has all apps, and all days of the demo shop. */
async function holds(dir: string, apps: string[], { from, to, clock }: FigureNeed): Promise<boolean> {
  for (const app of apps) if (!(await exists(appPaths(dir, app).data))) return false;
  const coverage = apps.includes(DEMO) ? await demoCoverage(dir) : undefined;
  return !coverage || (coverage.from <= from && Math.min(to, clock.now()) <= coverage.until);
}

/** Whole days, so that all commands of a day share one demo shop. */
async function generated({ seed, project }: FigureOptions, { from, to }: FigureNeed): Promise<string> {
  const span = { from: (Math.floor(from / DAY) - LEAD_DAYS) * DAY, to: Math.ceil(to / DAY) * DAY, seed };
  const line = progressLine();
  const dir = await demoDataFor(span, pathIn(project, STATE), ({ step, days, ofDays }) =>
    line.show(step, days, ofDays),
  );
  line.end();
  return dir;
}

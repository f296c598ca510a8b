import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { dataSpan } from '../../local/data/data-span.ts';
import { appSettingsSchema } from '../../shared/access/app-settings.ts';
import { schemaFiles } from '../../shared/adapters/rule-files/json-schemas.ts';
import { zone } from '../../shared/alerting/text/text-schemas.ts';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';
import { frequentEvents } from '../../workbench/starter/frequent-events.ts';
import { WORKFLOW_PATH, workflowText } from '../../workbench/starter/github-workflow.ts';
import { starterFiles } from '../../workbench/starter/starter-files.ts';
import { fileNameOf, type StarterEvent } from '../../workbench/starter/starter-names.ts';
import { writeStarter } from '../../workbench/starter/write-starter.ts';
import { type FigureOptions, openFigures } from '../options/figures.ts';
import { examples, listOf } from '../terminal/arguments.ts';

interface Options extends Omit<FigureOptions, 'seed'> {
  app: string;
  zone: string;
  event?: string[];
  github?: true;
  json?: true;
}

/** The output of `--json`: created and existing paths, and next steps. */
interface Begun {
  written: string[];
  kept: string[];
  next: { command: string; purpose: string }[];
}

/** Number of proposed events. */
const PROPOSED = 5;

/** `deltawatch init`: the first rules, routes and tests of an app. */
export function initCommand(clock: Clock = systemClock): Command {
  return new Command('init')
    .description('Create a folder with rules, routes and tests for an app')
    .argument('[folder]', 'Folder to create; existing files are never changed', 'rules')
    .requiredOption('--app <id>', 'Id of the app in the data access service', appId)
    .option('--zone <zone>', 'IANA time zone of the app', zoneName, 'UTC')
    .option('--event <name>', 'Event to watch; can be repeated', listOf)
    .addOption(
      new Option('--data <dir>', `Watch the app's ${PROPOSED} most frequent events, from this data folder`),
    )
    .addOption(
      new Option(
        '--service <url>',
        `Watch the app's ${PROPOSED} most frequent events, from a data access service`,
      ).conflicts('data'),
    )
    .option('--key-secret <name>', 'Name of the secret that holds the API key of the service')
    .option('--github', 'Also create a GitHub workflow that reviews and deploys the rules')
    .option('--json', 'Print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['init --app shop --zone Europe/Berlin', 'Rules for sessions and new users, in rules/'],
        ['init shop-rules --app shop --event order --event search', 'Also for two events'],
        ['init shop-rules --app shop --data .deltawatch/data', 'Also for the most frequent events'],
        ['init --app shop --github', 'Also a GitHub workflow'],
      ),
    )
    .action(async (folder: string, options: Options) => {
      const begun = await begin(folder, options, clock);
      console.log(options.json ? JSON.stringify(begun, null, 2) : readable(begun));
    });
}

async function begin(folder: string, options: Options, clock: Clock): Promise<Begun> {
  const { app, zone } = options;
  const events = await eventsOf(options, clock);
  const files = starterFiles({ app, zone, events, dir: quoted(folder) });
  for (const [name, text] of schemaFiles()) files.set(join('schema', name), text);
  const fresh = [`${fileNameOf(app)}.yaml`, `${fileNameOf(app)}.test.yaml`];
  const { written, kept } = await writeStarter(folder, files, fresh);
  const workflow = new Map(options.github ? [[WORKFLOW_PATH, await workflowText(quoted(folder))]] : []);
  const besides = await writeStarter('.', workflow, []);
  const paths = (names: string[], others: string[]) => [
    ...names.map((name) => join(folder, name)),
    ...others,
  ];
  return {
    written: paths(written, besides.written),
    kept: paths(kept, besides.kept),
    next: nextOf(quoted(folder)),
  };
}

/** The named events, or the most frequent ones of a data source. */
async function eventsOf(options: Options, clock: Clock): Promise<StarterEvent[]> {
  const { app, zone, event = [], data, service } = options;
  const named = [...new Set(event)].map((name) => ({ name }));
  if (data === undefined && service === undefined) return named;
  const lastAt = data === undefined ? undefined : (await dataSpan(data, app))?.lastAt;
  // For old data, its own last weeks.
  const now = Math.min(clock.now(), lastAt ?? Infinity);
  const need = { ruleSet: { rules: [{ app }] }, from: now, to: now, clock };
  const figures = await openFigures({ ...options, seed: 1 }, need);
  try {
    const frequent = await frequentEvents(figures.sourceFor(app), { app, zone, now, most: PROPOSED });
    if (frequent.length === 0 && named.length === 0)
      throw new ConfigError(
        `${app} sent no events in the last four weeks of its data; name events with --event`,
      );
    return [...named, ...frequent.filter(({ name }) => !event.includes(name))];
  } finally {
    figures.close();
  }
}

function nextOf(folder: string): Begun['next'] {
  const [rules, tests] = folder === 'rules' ? ['', ''] : [` --rules ${folder}`, ` ${folder}`];
  return [
    { command: `npx deltawatch check${rules}`, purpose: 'are they valid?' },
    { command: `npx deltawatch test${tests}`, purpose: 'do the tests pass?' },
    { command: `npx deltawatch backtest${rules} --days 90`, purpose: 'how often would they fire?' },
  ];
}

/** Quoted for a shell. */
function quoted(folder: string): string {
  return /^[\w./-]+$/.test(folder) ? folder : `'${folder.replaceAll("'", "'\\''")}'`;
}

function readable({ written, kept, next }: Begun): string {
  const width = Math.max(...next.map(({ command }) => command.length));
  return [
    'Written:',
    ...shortly(written),
    ...(kept.length > 0 ? ['Already there, not changed:', ...shortly(kept)] : []),
    '',
    'Next:',
    ...next.map(({ command, purpose }) => `  ${command.padEnd(width)}  # ${purpose}`),
  ].join('\n');
}

/** One line per path. All schemas share a line, because people do not read them. */
function shortly(paths: string[]): string[] {
  return [
    ...new Set(
      paths.map(
        (path) => `  ${path.replace(/schema\/[^/]+$/, 'schema/, for completion and checks in your editor')}`,
      ),
    ),
  ];
}

function appId(text: string): string {
  if (!appSettingsSchema.shape.id.safeParse(text).success)
    throw new InvalidArgumentError('Use an app id: letters, digits, "_" and "-".');
  return text;
}

function zoneName(text: string): string {
  const known = zone.safeParse(text);
  if (known.success) return known.data;
  throw new InvalidArgumentError(`${known.error.issues[0]?.message ?? 'Unknown zone'}.`);
}

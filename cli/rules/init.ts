import { join, relative } from 'node:path';
import { Option } from 'commander';
import { loadSettings } from '../../local/data/app-file.ts';
import { appIdsIn } from '../../local/data-access.ts';
import { DEMO, isDemoShop } from '../../local/demo-data.ts';
import { type FiguresInput, figuresSchema } from '../../shared/config/config.ts';
import { schemaFiles } from '../../shared/rule-files/json-schemas.ts';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { InvalidRequestError } from '../../shared/runtime/errors.ts';
import {
  configText,
  ignoreState,
  replacingUntouched,
  workflowFiles,
  writeStarter,
} from '../../workbench/starter/project-files.ts';
import {
  fileNameOf,
  firstRules,
  type StarterRule,
  starterFiles,
} from '../../workbench/starter/starter-files.ts';
import { IMPORTED_DATA, type ProjectOptions, pathIn, STATE } from '../options/project.ts';
import { proposed } from '../options/proposals.ts';
import { appId, zoneName } from '../terminal/arguments.ts';
import { Command } from '../terminal/command.ts';
import { figuresAt } from './init-figures.ts';

interface Options extends ProjectOptions {
  rules: string;
  data?: string;
  app?: string;
  zone?: string;
  figures?: string;
  table?: string;
}

/** What the files are about. Without `data`, the folder of the imported data, or `figures`, the demo shop. */
interface Subject {
  app: string;
  zone: string;
  data?: string;
  figures?: FiguresInput;
  from?: string;
}

const CONFIG = 'deltawatch.config.ts';

/** `deltawatch init`: the configuration, the first rules, routes and tests of an app, and a workflow. */
export function initCommand(clock: Clock = systemClock): Command {
  return new Command('init')
    .description('Create a configuration, rules, tests and a GitHub workflow')
    .option(
      '--rules <dir>',
      'Folder of the rule files; existing files stay, except untouched ones of the demo',
      'rules',
    )
    .option('--app <id>', 'App id; default: the app with imported data, or the demo shop', appId)
    .option('--zone <zone>', 'IANA time zone of the app; default: that of its data, or UTC', zoneName)
    .addOption(
      new Option('--data <dir>', 'Data folder; the rules and their bounds follow from it').default(
        undefined,
        IMPORTED_DATA,
      ),
    )
    .addOption(new Option('--figures <url>', 'Database with a table of events, or PostHog').conflicts('data'))
    .option('--table <name>', 'Table of events in the database; default: the one that looks like it')
    .example('init', 'For the app with imported data, or else the demo shop')
    .example('init --app shop --zone Europe/Berlin', 'For an app whose data is elsewhere')
    .example('init --figures clickhouse://reader:PASSWORD@host:8443/shop', 'For events in a database')
    .example('init --figures https://phx_KEY@eu.posthog.com/project/12345', 'For events in PostHog')
    .action(async (options: Options) => {
      const subject = await subjectOf(options);
      console.log(begunText(await begin(subject, options, clock)));
      if (subject.from) console.error(`note: figures come from ${subject.from}`);
      else if (subject.app === DEMO && subject.data === undefined)
        console.error('note: there is no imported data, so the rules watch a generated demo shop');
    });
}

async function begin(subject: Subject, options: Options, clock: Clock) {
  const { rules: folder, project } = options;
  const top = pathIn(project, '.');
  const { app, data } = subject;
  const rules = await rulesFor(subject, options, clock);
  const files = starterFiles(app, rules);
  for (const [name, text] of schemaFiles()) files.set(join('schema', name), text);
  const fresh = [`${fileNameOf(app)}.yaml`, `${fileNameOf(app)}.test.yaml`].filter((name) => files.has(name));
  const isReplaceable = data !== undefined && (app === DEMO || (await isDemoShop(data)));
  const demo = starterFiles(DEMO, firstRules(DEMO, 'UTC'));
  demo.delete('routes.yaml');
  const {
    outcome: inRules,
    removed,
    changed,
  } = await replacingUntouched(folder, isReplaceable ? demo : new Map(), () =>
    writeStarter(folder, files, fresh),
  );
  const beside = await workflowFiles();
  if (project?.file === undefined) beside.set(CONFIG, configText(folder, subject));
  const atTop = await writeStarter(top, beside, []);
  const ignored = join(top, '.gitignore');
  const isIgnored = await ignoreState(ignored);
  return {
    rules,
    /** Files of the demo shop of an earlier init: unchanged ones are removed, changed ones are left. */
    removed: removed.filter((path) => !inRules.written.includes(path)),
    changed,
    written: [...inRules.written, ...atTop.written, ...(isIgnored ? [ignored] : [])],
    kept: [
      ...inRules.kept,
      ...atTop.kept,
      ...(project?.file === undefined ? [] : [relative('.', project.file)]),
    ],
  };
}

/** The app in the options, or the one with data; without data it is the demo shop. */
async function subjectOf({ figures, table, project, ...options }: Options): Promise<Subject> {
  const { app, zone, data } = options;
  if (figures !== undefined) {
    if (project?.file !== undefined)
      throw new InvalidRequestError(
        `--figures writes ${CONFIG}, but ${relative('.', project.file)} already exists: write "figures" there`,
      );
    const state = pathIn(project, STATE);
    return { zone: zone ?? 'UTC', ...(await figuresAt(figures, { app, zone: zone ?? 'UTC', table, state })) };
  }
  const named = project?.config.figures;
  if (data === undefined && named?.kind === 'tables') {
    const { apps } = named.tables;
    const found = theApp(app, Object.keys(apps), `figures of ${CONFIG} has`);
    return { app: found ?? DEMO, zone: zone ?? apps[found ?? '']?.zone ?? 'UTC' };
  }
  const dir = data ?? pathIn(project, IMPORTED_DATA);
  const all = await appIdsIn(dir);
  const imported = (await isDemoShop(dir)) ? all.filter((each) => each !== DEMO) : all;
  const known = imported.length > 0 ? imported : all;
  const found = theApp(app, known, `${dir} has the data of`);
  if (found === undefined || (data === undefined && !known.includes(found)))
    return { app: found ?? DEMO, zone: zone ?? 'UTC' };
  const settings = await loadSettings(dir, found);
  return { app: found, zone: zone ?? settings?.zone ?? 'UTC', data: dir };
}

function theApp(app: string | undefined, known: string[], has: string): string | undefined {
  if (app === undefined && known.length > 1)
    throw new InvalidRequestError(`${has} ${known.length} apps; name one with --app: ${known.join(', ')}`);
  return app ?? known[0];
}

/** The rules that the data, the service or the tables suggest, or those that suit many apps. */
async function rulesFor(
  { app, zone, data, figures }: Subject,
  { project: given }: Options,
  clock: Clock,
): Promise<StarterRule[]> {
  const project =
    figures && given
      ? { ...given, config: { ...given.config, figures: figuresSchema.parse(figures) } }
      : given;
  const kind = project?.config.figures?.kind;
  const isElsewhere = (kind === 'service' || kind === 'tables') && app !== DEMO;
  const proposals =
    data !== undefined || isElsewhere ? await proposed({ app, zone, data, project }, clock) : [];
  return proposals.length > 0 ? proposals : firstRules(app, zone);
}

function begunText({ rules, written, kept, removed, changed }: Awaited<ReturnType<typeof begin>>): string {
  return [
    ...rules.flatMap(({ entry, comment }) => [
      `${entry.id}: ${entry.title}`,
      ...comment.map((line) => `  ${line}`),
    ]),
    '',
    'Written:',
    ...shortly(written),
    ...(kept.length > 0 ? ['Already there, not changed:', ...shortly(kept)] : []),
    ...(removed.length > 0 ? ['Removed, rules of the demo shop:', ...shortly(removed)] : []),
    ...(changed.length > 0
      ? ['Still watches the demo shop; delete what you do not need:', ...shortly(changed)]
      : []),
    '',
    'Next:',
    '  npx deltawatch check     # are the rules valid?',
    '  npx deltawatch test      # do the tests pass?',
    '  npx deltawatch backtest  # how often would they fire?',
    '  npx deltawatch start     # run them on this machine',
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

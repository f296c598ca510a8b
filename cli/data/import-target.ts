import { appPaths, loadSettings } from '../../local/data/app-file.ts';
import { InvalidRequestError } from '../../shared/runtime/errors.ts';
import type { WatchedApp } from './watched-apps.ts';

/** The app that receives the events, and how it fits the rules found. */
export interface ImportTarget {
  app: string;
  /** Zone of a new app. */
  zone?: string;
  notes: string[];
  /** Whether the app is that of the rules, because the command did not name one. */
  isGuessed: boolean;
}

interface Named {
  app?: string;
  zone?: string;
  data: string;
}

/** The given app and zone, or those of the rules. Throws `InvalidRequestError` where neither sets them. */
export async function importTarget(named: Named, watched: readonly WatchedApp[]): Promise<ImportTarget> {
  const app = named.app ?? appOf(watched);
  const kept = (await loadSettings(named.data, app))?.zone;
  const zones = zonesOf(watched, app);
  const offered = named.zone === undefined && kept === undefined && zones.length === 1 ? zones[0] : undefined;
  const zone = named.zone ?? offered;
  const begins = zone ?? kept ?? 'UTC';
  const rules = `the rules in ${foldersOf(watched, app)}`;
  const notes = [
    named.app === undefined && `App: ${app}, from ${rules}`,
    offered !== undefined && `Time zone: ${offered}, from ${rules}`,
    zones.some((each) => each !== begins) &&
      `${app} has the time zone ${begins}, but ${rules} use ${zones.join(' and ')}: ` +
        remedy(kept, zones, appPaths(named.data, app).settings),
    zones.length === 0 &&
      watched.length > 0 &&
      `No rule watches ${app}: the rules in ${foldersOf(watched)} watch ${appsOf(watched).join(' and ')}`,
  ];
  return {
    app,
    ...(zone !== undefined && { zone }),
    notes: notes.filter((note) => note !== false),
    isGuessed: named.app === undefined,
  };
}

function remedy(kept: string | undefined, zones: readonly string[], file: string): string {
  if (kept !== undefined) return `change the zone in the rules, or in ${file}`;
  return zones.length === 1 ? `use --zone ${zones[0]}` : 'choose one with --zone';
}

function appOf(watched: readonly WatchedApp[]): string {
  const [app, ...others] = appsOf(watched);
  if (app !== undefined && others.length === 0) return app;
  throw new InvalidRequestError(
    app === undefined
      ? 'name the app with --app, such as --app shop; no rules here name one'
      : `name the app with --app: the rules in ${foldersOf(watched)} watch ${[app, ...others].join(' and ')}`,
  );
}

const appsOf = (watched: readonly WatchedApp[]): string[] => [...new Set(watched.map(({ app }) => app))];

const zonesOf = (watched: readonly WatchedApp[], app: string): string[] => [
  ...new Set(watched.flatMap((each) => (each.app === app ? each.zones : []))),
];

function foldersOf(watched: readonly WatchedApp[], app?: string): string {
  const some = watched.filter((each) => app === undefined || each.app === app);
  return [...new Set(some.map(({ folder }) => folder))].join(' and ');
}

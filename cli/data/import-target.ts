import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { appPaths, loadSettings } from '../../local/data/app-file.ts';
import { DEMO } from '../../local/demo-data.ts';
import { exists } from '../../local/files.ts';
import { ROUTES_FILE } from '../../shared/rule-files/shown-source.ts';
import { loadRuleFiles } from '../../shared/rule-files/yaml-rule-files.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { InvalidRequestError } from '../../shared/runtime/errors.ts';
import { readRules } from '../options/read-rules.ts';

/** An app that the rules of a folder watch, and the zones of those rules. */
interface WatchedApp {
  app: string;
  zones: readonly string[];
  folder: string;
}

/**
 * Apps watched by the rules of `folder`, or of the rule folders in this directory. Invalid folders are
 * skipped, but `folder` itself throws `ConfigError`. The demo is left out: its data is generated.
 */
export async function watchedApps(folder: string | undefined, here = '.'): Promise<WatchedApp[]> {
  if (folder !== undefined) return appsIn((await readRules(folder)).rules, folder);
  const entries = await readdir(here, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const found: WatchedApp[] = [];
  for (const name of names.sort()) {
    if (!(await exists(join(here, name, ROUTES_FILE)).catch(() => false))) continue;
    const loaded = await loadRuleFiles(join(here, name));
    if (loaded.kind === 'loaded') found.push(...appsIn(loaded.ruleSet.rules, name));
  }
  return found;
}

function appsIn(rules: readonly Rule[], folder: string): WatchedApp[] {
  return [...Map.groupBy(rules, ({ app }) => app)]
    .filter(([app]) => app !== DEMO)
    .map(([app, ofApp]) => ({ app, zones: [...new Set(ofApp.map(({ zone }) => zone))], folder }));
}

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

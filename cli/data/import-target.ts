import { loadSettings } from '../../local/data/app-file.ts';
import { DEMO } from '../../local/demo-data.ts';
import { exists } from '../../local/files.ts';
import { loadRuleFiles } from '../../shared/rule-files/yaml-rule-files.ts';
import { InvalidRequestError } from '../../shared/runtime/errors.ts';

interface Named {
  app?: string;
  zone?: string;
  data: string;
  /** Folder of rules; it may be missing or invalid. */
  rules: string;
}

/** The app that receives the events, and how it fits the rules found: the given app and zone, or those of the rules. Throws `InvalidRequestError` where neither names an app. */
export async function importTarget(named: Named) {
  const watched = await zonesByApp(named.rules);
  const rules = `the rules in ${named.rules}`;
  const app = named.app ?? soleApp([...watched.keys()], rules);
  const kept = (await loadSettings(named.data, app))?.zone;
  const zones = [...(watched.get(app) ?? [])];
  const offered = named.zone === undefined && kept === undefined && zones.length === 1 ? zones[0] : undefined;
  const zone = named.zone ?? offered;
  const begins = zone ?? kept ?? 'UTC';
  const notes = [
    named.app === undefined && `App: ${app}, from ${rules}`,
    offered !== undefined && `Time zone: ${offered}, from ${rules}`,
    zones.some((each) => each !== begins) &&
      `${app} has the time zone ${begins}, but ${rules} use ${zones.join(' and ')}: use one zone in both`,
    zones.length === 0 &&
      watched.size > 0 &&
      `No rule watches ${app}: ${rules} watch ${[...watched.keys()].join(' and ')}`,
  ];
  return {
    app,
    // Of a new app.
    ...(zone !== undefined && { zone }),
    notes: notes.filter((note) => note !== false),
    /** Whether the app is that of the rules, because the command did not name one. */
    isGuessed: named.app === undefined,
  };
}

/** The zones of the rules of each app, without the demo: its data is generated. */
async function zonesByApp(dir: string): Promise<Map<string, Set<string>>> {
  const loaded = (await exists(dir)) ? await loadRuleFiles(dir) : undefined;
  const rules = loaded?.kind === 'loaded' ? loaded.ruleSet.rules : [];
  const byApp = Map.groupBy(
    rules.filter(({ app }) => app !== DEMO),
    ({ app }) => app,
  );
  return new Map([...byApp].map(([app, own]) => [app, new Set(own.map(({ zone }) => zone))]));
}

function soleApp(apps: string[], rules: string): string {
  const [app, ...others] = apps;
  if (app !== undefined && others.length === 0) return app;
  throw new InvalidRequestError(
    app === undefined
      ? `name the app with --app, such as --app shop; ${rules} name none`
      : `name the app with --app: ${rules} watch ${apps.join(' and ')}`,
  );
}

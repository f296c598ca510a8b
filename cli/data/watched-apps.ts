import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { exists } from '../../local/files.ts';
import { ROUTES_FILE } from '../../shared/rule-files/shown-source.ts';
import { loadRuleFiles } from '../../shared/rule-files/yaml-rule-files.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { readRules } from '../options/read-rules.ts';

/** An app that the rules of a folder watch, and the zones of those rules. */
export interface WatchedApp {
  app: string;
  zones: readonly string[];
  folder: string;
}

/** Demo data is generated, not imported. */
const DEMO = 'demo';

/**
 * Apps watched by the rules of `folder`, or of the rule folders in this directory. Invalid folders are
 * skipped, but `folder` itself throws `ConfigError`.
 */
export async function watchedApps(folder: string | undefined, here = '.'): Promise<WatchedApp[]> {
  if (folder !== undefined) return appsIn((await readRules(folder)).rules, folder);
  const entries = await readdir(here, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const found: WatchedApp[] = [];
  for (const name of names.sort()) {
    if (!(await exists(join(here, name, ROUTES_FILE)))) continue;
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

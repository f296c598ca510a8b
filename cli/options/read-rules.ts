import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { RuleSet, SourceLinks } from '../../shared/deployments/rule-store.ts';
import { formatProblems, type Problem } from '../../shared/rule-files/file-problems.ts';
import { type LoadedRuleFiles, loadRuleFiles } from '../../shared/rule-files/yaml-rule-files.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';
import { counted } from '../../shared/text/counted.ts';
import type { ProjectOptions } from './project.ts';

/** The rules of a folder. Throws `ConfigError` with every problem, its file, line and column. */
export async function readRules(dir: string): Promise<RuleSet> {
  return (await loadedFrom(dir)).ruleSet;
}

async function loadedFrom(dir: string) {
  const loaded = await loadRuleFiles(dir);
  if (loaded.kind === 'problems') throw refuseProblems(loaded.problems, dir);
  return loaded;
}

/** The same for a deployment, with links to the repository of the project. Without a repository, none are left. */
export async function readRulesToDeploy(dir: string, project: ProjectOptions['project']): Promise<RuleSet> {
  const { ruleSet, places } = await loadedFrom(dir);
  const { repository } = project?.config ?? {};
  const links = project && repository !== undefined ? sourceLinks(places, repository, project.dir) : {};
  return { ...ruleSet, sourceLinks: links };
}

type Places = Extract<LoadedRuleFiles, { kind: 'loaded' }>['places'];

/**
 * The URL of the line of each rule, such as `https://github.com/acme/rules/blob/main/rules/checkout.yaml#L12`.
 * `repository` is the URL of the folder `dir`, with a slash at its end. Files outside of it have no URL.
 */
function sourceLinks(places: Places, repository: string, dir: string): SourceLinks {
  return Object.fromEntries(
    [...places.rules].flatMap(([id, { begins }]) => {
      const path = relative(dir, resolve(begins.file));
      if (isAbsolute(path) || path.split(sep)[0] === '..') return [];
      const encoded = path.split(sep).map(encodeURIComponent).join('/');
      return [[id, `${repository}${encoded}#L${begins.line}`]];
    }),
  );
}

/** All problems of a folder, or of `where`, as one error. */
export function refuseProblems(problems: readonly Problem[], where: string): ConfigError {
  return new ConfigError(`${counted(problems.length, 'problem')} in ${where}\n\n${formatProblems(problems)}`);
}

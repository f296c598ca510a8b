import { stat } from 'node:fs/promises';
import { basename, dirname, normalize } from 'node:path';
import { Command } from 'commander';
import type { Problem } from '../../shared/rule-files/file-problems.ts';
import { isRuleFile, loadRuleFiles } from '../../shared/rule-files/yaml-rule-files.ts';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { ConfigError, InvalidRequestError } from '../../shared/runtime/errors.ts';
import { type FigureOptions, withFigureOptions } from '../options/figure-source.ts';
import type { ProjectOptions } from '../options/project.ts';
import { refuseProblems } from '../options/read-rules.ts';
import { examples } from '../terminal/arguments.ts';
import { fileProblem } from '../terminal/file-errors.ts';
import { exitCode, reportOf, reportText, unreadable } from './check-report.ts';

interface Options extends FigureOptions, ProjectOptions {
  rules: string;
  live?: true;
  strict?: true;
  json?: true;
}

/** `deltawatch check`: what is wrong in rule files. `--json` prints a `Report`. */
export function checkCommand(clock: Clock = systemClock): Command {
  const command = new Command('check')
    .description('Check rule files for errors and likely mistakes')
    .argument(
      '[path...]',
      'Folder of rule files, or rule files from one folder; default: the folder given by --rules',
    )
    .option('--rules <dir>', 'Folder of the rule files', 'rules')
    .option('--strict', 'Exit with 1 on warnings as well as errors')
    .option('--live', 'Query the service: do the events and values in the rules exist?')
    .option('--json', 'Print one JSON document');
  return withFigureOptions(command)
    .addHelpText(
      'after',
      examples(
        ['check', 'Before every commit'],
        ['check rules/checkout.yaml', 'One file; the rest of its folder is read, but not reported'],
        ['check --live', 'Find misspelled events and values'],
        ['check --strict --json', 'In a pipeline'],
      ),
    )
    .action(async (paths: string[], options: Options) => {
      const { rules: dir, strict, json, live, data, service } = options;
      if (paths.length > 0 && command.getOptionValueSource('rules') === 'cli')
        throw new InvalidRequestError('name the folder or files once, with --rules or without');
      if (!live && (data !== undefined || service !== undefined))
        throw new InvalidRequestError('--data and --service require --live');
      const checked = await checkedFiles(paths, dir);
      const loaded = await loadRuleFiles(checked.dir);
      const problems = loaded.kind === 'problems' ? decisiveProblems(loaded.problems, checked) : [];
      if (problems.length > 0 && !json) throw refuseFiles(problems, checked);
      const report =
        loaded.kind === 'problems'
          ? unreadable(problems)
          : await reportOf(loaded, options, clock, checked.files);
      if (json) console.log(JSON.stringify(report, null, 2));
      else console.log(reportText(report));
      process.exitCode = exitCode(report, strict);
    });
}

/** A rules folder, and the paths of its checked files; all files without `files`. */
interface CheckedFiles {
  dir: string;
  files?: ReadonlySet<string>;
}

/**
 * What the paths name: one folder, or rule files that lie in one folder. Throws `ConfigError` for a path that does not
 * exist or is not a rule file, and `InvalidRequestError` for paths that cannot be checked together.
 */
async function checkedFiles(paths: readonly string[], defaultDir: string): Promise<CheckedFiles> {
  const found = await Promise.all(paths.map(async (path) => ({ path, isFolder: await isFolder(path) })));
  const folders = found.filter((each) => each.isFolder);
  const [folder] = folders;
  if (folder && paths.length > 1)
    throw new InvalidRequestError(`name one folder, or some files of one; ${folder.path} is a folder`);
  if (folder) return { dir: folder.path };
  const [first, ...others] = paths.map((path) => normalize(path));
  if (first === undefined) return { dir: defaultDir };
  const dir = dirname(first);
  const strange = others.find((path) => dirname(path) !== dir);
  if (strange !== undefined)
    throw new InvalidRequestError(
      `check the files of one folder at a time: ${first} and ${strange} are in different folders`,
    );
  for (const path of [first, ...others]) requireRuleFile(path);
  return { dir, files: new Set([first, ...others]) };
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: unknown) => {
    throw fileProblem(path, error);
  });
  return found.isDirectory();
}

function requireRuleFile(path: string): void {
  const name = basename(path);
  if (isRuleFile(name)) return;
  const why = name.endsWith('.test.yaml')
    ? `run its tests with "deltawatch test ${path}"`
    : 'names of rule files end with .yaml or .rules.ts';
  throw new ConfigError(`${path} is not a rule file: ${why}`);
}

/** The problems of `files` or, if there are none, those of the other files. */
function decisiveProblems(problems: Problem[], { files }: CheckedFiles): Problem[] {
  const own = problems.filter(({ file }) => files?.has(file) ?? true);
  return own.length > 0 ? own : problems;
}

/** The problems as one error. */
function refuseFiles(problems: Problem[], { dir, files }: CheckedFiles): ConfigError {
  const isOwn = problems.some(({ file }) => files?.has(file) ?? true);
  return refuseProblems(problems, isOwn ? [...(files ?? [dir])].join(', ') : `other files of ${dir}`);
}

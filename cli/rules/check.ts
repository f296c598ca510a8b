import { Command } from 'commander';
import { loadRuleFiles } from '../../shared/rule-files/yaml-rule-files.ts';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { InvalidRequestError } from '../../shared/runtime/errors.ts';
import { type FigureOptions, withFigureOptions } from '../options/figure-source.ts';
import type { ProjectOptions } from '../options/project.ts';
import { examples } from '../terminal/arguments.ts';
import { exitCode, reportOf, reportText, unreadable } from './check-report.ts';
import { checkedFiles, decisiveProblems, refuseFiles } from './checked-files.ts';

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

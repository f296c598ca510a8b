import { Command } from 'commander';
import { loadRuleFiles } from '../../shared/adapters/rule-files/yaml-rule-files.ts';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { InvalidRequestError } from '../../shared/runtime/errors.ts';
import { type FigureOptions, withFigureOptions } from '../options/figure-options.ts';
import { refuseProblems } from '../options/read-rules.ts';
import { examples } from '../terminal/arguments.ts';
import { exitCode, reportOf, reportText, unreadable } from './check-report.ts';
import { ruleLines } from './rule-text.ts';

interface Options extends FigureOptions {
  rules: string;
  live?: true;
  strict?: true;
  verbose?: true;
  json?: true;
}

/** `deltawatch check`: whether the rule files are right, and do what they were meant to. */
export function checkCommand(clock: Clock = systemClock): Command {
  const command = new Command('check')
    .description('check the rule files: what is wrong in them, and what is probably not meant')
    .argument('[folder]', 'folder of the rule files, as --rules names it')
    .option('--rules <dir>', 'folder of the rule files', 'rules')
    .option('--strict', 'fail where there are warnings, too')
    .option('--verbose', 'tell of each rule who hears of it, and what it costs the service')
    .option('--live', 'ask the service, too: whether events and values come, and how many')
    .option('--json', 'print one JSON document');
  return withFigureOptions(command)
    .addHelpText(
      'after',
      examples(
        ['check', 'before every commit'],
        ['check --live', 'are events and values spelt as they come?'],
        ['check --strict --json', 'in a pipeline, for another program to read'],
        ['check --verbose', 'who hears of each rule, and what the rules cost'],
      ),
    )
    .action(async (folder: string | undefined, options: Options) => {
      const { strict, verbose, json, live, data, service } = options;
      if (folder !== undefined && command.getOptionValueSource('rules') === 'cli')
        throw new InvalidRequestError('name the folder once, with --rules or without');
      const dir = folder ?? options.rules;
      if (!live && (data !== undefined || service !== undefined))
        throw new InvalidRequestError('--data and --service go with --live: files alone need no figures');
      const loaded = await loadRuleFiles(dir);
      if (loaded.kind === 'problems' && !json) throw refuseProblems(loaded.problems, dir);
      const report =
        loaded.kind === 'problems' ? unreadable(loaded.problems) : await reportOf(loaded, options, clock);
      if (json) console.log(JSON.stringify(report, null, 2));
      else {
        if (verbose && loaded.kind === 'loaded')
          console.log(`${ruleLines(loaded.ruleSet, clock.now()).join('\n')}\n`);
        console.log(reportText(report));
      }
      process.exitCode = exitCode(report, strict);
    });
}

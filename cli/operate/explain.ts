import { type Clock, type Millis, systemClock } from '../../shared/runtime/clock.ts';
import { explainRule } from '../../workbench/explain/explain-rule.ts';
import { deployedOn, deployedRules, ruleCalled } from '../../workbench/find-rule.ts';
import { type InstallationOptions, ofInstallation, withInstallation } from '../options/installation.ts';
import { instant } from '../terminal/arguments.ts';
import { Command } from '../terminal/command.ts';
import { jsonValue } from '../terminal/json.ts';
import { explanationLines } from './explain-text.ts';

interface Options extends InstallationOptions {
  segment?: string;
  at?: Millis;
  json?: true;
}

/** `deltawatch explain`: why a rule says what it says; `--json` prints an `Explanation`, its times as ISO 8601 in UTC. */
export function explainCommand(clock: Clock = systemClock): Command {
  const explain = new Command('explain')
    .description('Explain why a rule fired or did not: gates, baseline and readings')
    .argument('<rule>', 'Rule id')
    .option('--segment <value>', 'Segment to explain; default: list all')
    .option(
      '--at <time>',
      'Explain the last window that was due by this time; default: the latest window',
      instant,
    )
    .option('--json', 'Print one JSON document');
  return ofInstallation(explain)
    .example('explain new-users', 'The latest window')
    .example('explain searches --segment Germany --at 2026-03-05T08:00Z', 'One segment at a given time')
    .action(async (ruleId: string, options: Options) => {
      const { at, segment, json } = options;
      const now = clock.now();
      await withInstallation(options, clock, async ({ stores, description }) => {
        const rule = ruleCalled(ruleId, await deployedRules(stores.rules), deployedOn({ description }));
        const explanation = await explainRule({ ruleId, segment, at, now }, stores);
        if (json) console.log(JSON.stringify(explanation, jsonValue));
        else console.log(explanationLines(explanation, rule, at ?? now).join('\n'));
      });
    });
}

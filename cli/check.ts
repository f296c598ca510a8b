import { Command } from 'commander';
import { nextRun } from '../shared/alerting/cadence.ts';
import { routeFor } from '../shared/alerting/routes.ts';
import { systemClock } from '../shared/runtime/clock.ts';
import { readRules } from './rules.ts';

/** `deltawatch check`: whether the rule files are right, and what they will do. */
export function checkCommand(): Command {
  return new Command('check')
    .description('check the rule files and say when each rule runs next and who hears of it')
    .option('--rules <dir>', 'folder of the rule files', 'rules')
    .action(async (options: { rules: string }) => {
      const { rules, routes } = await readRules(options.rules);
      const now = systemClock.now();
      for (const rule of rules) {
        const { route, channels } = routeFor(rule, routes);
        const next = new Date(nextRun(rule.cadence, now)).toISOString();
        console.log(`${rule.id}\n  next run ${next}, windows of a ${rule.window} in ${rule.zone}`);
        console.log(`  against ${rule.compare.to}; route ${route}: ${channels.join(', ')}`);
      }
      console.log(`${rules.length} ${rules.length === 1 ? 'rule is' : 'rules are'} right`);
    });
}

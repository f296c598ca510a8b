import { Command } from 'commander';
import { counted } from '../local/terminal.ts';
import { adviceFor } from '../shared/alerting/advice.ts';
import { nextRun } from '../shared/alerting/cadence.ts';
import { routeFor } from '../shared/alerting/routes.ts';
import type { Rule } from '../shared/alerting/rule.ts';
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
        const next = new Date(nextRun(rule.cadence, now)).toISOString().slice(0, 16).replace('T', ' ');
        console.log(rule.id);
        console.log(`  every ${rule.window} (${rule.zone}) against ${baselineOf(rule)}`);
        console.log(`  next run ${next} UTC; tells ${channels.join(', ')} (route ${route})`);
        for (const advice of adviceFor(rule)) console.log(`  note: ${advice}`);
      }
      console.log(`\n${counted(rules.length, 'rule')} ${rules.length === 1 ? 'is' : 'are'} right`);
    });
}

function baselineOf({ compare, window }: Rule): string {
  switch (compare.to) {
    case 'previous_period':
      return `the ${window} just before`;
    case 'same_weekday':
      return `the same ${window} one week before`;
  }
}

import { Command } from 'commander';
import { counted } from '../local/terminal.ts';
import { adviceFor } from '../shared/alerting/advice.ts';
import { comparisonText } from '../shared/alerting/comparison.ts';
import type { Rule } from '../shared/alerting/rule.ts';
import { systemClock } from '../shared/runtime/clock.ts';
import { wholeNumberIn } from './arguments.ts';
import { costLines } from './history-costs.ts';
import { routeNotes } from './route-notes.ts';
import { readRules } from './rules.ts';
import { stopsOf, tellingOf } from './telling.ts';
import { timetable } from './timetable.ts';

/** `deltawatch check`: whether the rule files are right, and what they will do. */
export function checkCommand(): Command {
  return new Command('check')
    .description('check the rule files and say who hears of each rule, and what its next runs judge')
    .option('--rules <dir>', 'folder of the rule files', 'rules')
    .option('--runs <number>', 'how many runs to tell', wholeNumberIn(0, 100), 5)
    .action(async (options: { rules: string; runs: number }) => {
      const { rules, routes } = await readRules(options.rules);
      for (const rule of rules) {
        console.log(rule.id);
        console.log(`  every ${rule.window} (${rule.zone})`);
        for (const line of judgedBy(rule)) console.log(`  ${line}`);
        for (const line of tellingOf(rule, routes)) console.log(`  ${line}`);
        if (!rule.members) for (const advice of adviceFor(rule)) console.log(`  note: ${advice}`);
      }
      console.log(['', ...stopsOf(rules, routes)].join('\n'));
      const runs = timetable(rules, systemClock.now(), options.runs);
      if (options.runs > 0) console.log(['\nNext runs', ...runs].join('\n'));
      const byFigures = rules.filter((rule) => !rule.members);
      console.log(['', ...costLines(byFigures, systemClock.now())].join('\n'));
      const notes = routeNotes(rules, routes).map((note) => `note: ${note}`);
      if (notes.length > 0) console.log(['', ...notes].join('\n'));
      console.log(`\n${counted(rules.length, 'rule')} ${rules.length === 1 ? 'is' : 'are'} right`);
    });
}

function judgedBy(rule: Rule): string[] {
  if (rule.members)
    return [`while ${rule.members.needs} of these fire`, ...rule.members.ruleIds.map((id) => `  ${id}`)];
  return [`against ${comparisonText(rule.baseline, rule.window)}${rule.compare ? '' : ' (by default)'}`];
}

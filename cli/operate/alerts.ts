import { Command, Option } from 'commander';
import type { Place } from '../../local/installation.ts';
import { counted } from '../../local/terminal.ts';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { ofInstallation, requireRule, withInstallation } from '../options/installation.ts';
import { examples } from '../terminal/arguments.ts';
import { listAlerts } from './alert-report.ts';
import { alertTable } from './alert-rows.ts';

interface Options extends Place {
  open?: true;
  all?: boolean;
  rule?: string;
  json?: true;
}

/** `deltawatch alerts`: what fires, since when, and who has it; `--json` prints a list of `AlertReport`. */
export function alertsCommand(clock: Clock = systemClock): Command {
  return ofInstallation(new Command('alerts').description('List alerts, most severe first'))
    .addOption(new Option('--open', 'Only alerts that are firing or pending (default)').conflicts('all'))
    .option('--all', 'Include alerts in the state normal')
    .option('--rule <id>', 'Only alerts of this rule')
    .option('--json', 'Print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['alerts', 'Open alerts on this machine'],
        ['alerts --all --rule purchases', 'Every segment of a rule'],
      ),
    )
    .action(async ({ all = false, rule, json, ...place }: Options) => {
      const alerts = await withInstallation(place, clock, async (installation) => {
        if (rule !== undefined) await requireRule(rule, installation);
        return listAlerts(installation.stores, { rule, all }, clock.now());
      });
      if (json) console.log(JSON.stringify(alerts));
      else if (alerts.length > 0) console.log(alertTable(alerts));
      else console.log(all ? 'No rule has run yet.' : 'No open alerts.');
      if (!json && alerts.length > 0) console.error(`\n${counted(alerts.length, 'alert')}`);
    });
}

import { Command } from 'commander';
import type { Place } from '../../local/installation.ts';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { ofInstallation, withInstallation } from '../options/installation.ts';
import { examples } from '../terminal/arguments.ts';
import { statusReport } from './status-report.ts';
import { statusText } from './status-text.ts';

/**
 * `deltawatch status`: deployed rules, open alerts, and the health of Deltawatch. `--json` prints a
 * `StatusReport`.
 */
export function statusCommand(clock: Clock = systemClock): Command {
  return ofInstallation(
    new Command('status').description('Show the deployed rules, open alerts and the health of Deltawatch'),
  )
    .option('--json', 'Print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['status', 'On this machine'],
        ['status --table deltawatch-production-state-TableABC --region eu-central-1', 'Of a stage in AWS'],
      ),
    )
    .action(async ({ json, ...place }: Place & { json?: true }) => {
      const now = clock.now();
      const status = await withInstallation(place, clock, (each) => statusReport(each, now));
      console.log(json ? JSON.stringify(status) : statusText(status));
    });
}

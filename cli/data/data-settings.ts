import { type Command, InvalidArgumentError } from 'commander';
import { dashboardUrlOf, editSettings } from '../../local/data/app-file.ts';
import type { AppSettings } from '../../shared/access/app-settings.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { InvalidRequestError } from '../../shared/runtime/errors.ts';
import { examples } from '../terminal/arguments.ts';
import { printedSettings } from './data-documents.ts';
import { publishSettings, tableOption } from './data-publish.ts';

interface SettingsOptions {
  app: string;
  data: string;
  table?: string;
  /** False for `--no-dashboard-url`. */
  dashboardUrl?: string | false;
  json?: true;
}

export function addSettings(data: Command, dataDir: string, clock: Clock): void {
  data
    .command('settings')
    .description('Show or change the settings of an app')
    .requiredOption('--app <id>', 'App id')
    .option(
      '--dashboard-url <url>',
      'Base URL of links to sessions and users, in url and dashboard_link',
      dashboardUrl,
    )
    .option('--no-dashboard-url', 'Leave url and dashboard_link empty')
    .addOption(tableOption())
    .option('--data <dir>', 'Folder of the data', dataDir)
    .option('--json', 'Print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['data settings --app shop', 'Show the settings'],
        ['data settings --app shop --dashboard-url https://dash.example.com', 'Set the base URL of links'],
      ),
    )
    .action(async ({ app, data: dir, table, dashboardUrl: url, json }: SettingsOptions) => {
      if (table !== undefined && url === undefined)
        throw new InvalidRequestError(
          '--table replaces the settings in that table: add --dashboard-url or --no-dashboard-url',
        );
      const change = url === undefined ? {} : { dashboardUrl: url === false ? null : url };
      const settings = await editSettings({ dir, app }, change);
      if (!json) console.log(linesOf(settings).join('\n'));
      if (table !== undefined)
        await publishSettings({ dir, app }, { tableName: table, existing: 'replace' }, clock);
      if (json) console.log(JSON.stringify(printedSettings(settings, table)));
      else if (table !== undefined) console.log(`\nThe table ${table} has these settings too.`);
    });
}

function dashboardUrl(text: string): string {
  try {
    return dashboardUrlOf(text);
  } catch (error) {
    if (error instanceof InvalidRequestError) throw new InvalidArgumentError(error.message);
    throw error;
  }
}

function linesOf({ id, name, zone, dashboardUrl: url, rateLimit }: AppSettings): string[] {
  const { perSecond, perHour, enforce } = rateLimit;
  const limit = enforce ? `${perSecond} requests a second, ${perHour} an hour` : 'none';
  return [
    `app             ${id}`,
    `name            ${name}`,
    `time zone       ${zone}`,
    `dashboard URL   ${url ?? 'none: url and dashboard_link are ""'}`,
    `limit of a key  ${limit}`,
  ];
}

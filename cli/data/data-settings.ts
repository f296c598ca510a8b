import { type Command, InvalidArgumentError } from 'commander';
import { dashboardUrlOf, editSettings } from '../../local/data/edit-settings.ts';
import { publishSettings } from '../../local/data/publish/publish-settings.ts';
import type { AppSettings } from '../../shared/access/app-settings.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { InvalidRequestError } from '../../shared/runtime/errors.ts';
import { examples } from '../terminal/arguments.ts';
import { tableOption } from './data-publish.ts';

interface SettingsOptions {
  app: string;
  data: string;
  table?: string;
  /** False for `--no-dashboard-url`. */
  dashboardUrl?: string | false;
}

export function addSettings(data: Command, dataDir: string, clock: Clock): void {
  data
    .command('settings')
    .description('show and change the settings of an app')
    .requiredOption('--app <id>', 'id of the app')
    .option(
      '--dashboard-url <url>',
      'where sessions and users can be seen: the root of url and dashboard_link',
      dashboardUrl,
    )
    .option('--no-dashboard-url', 'leave url and dashboard_link empty')
    .addOption(tableOption())
    .option('--data <dir>', 'folder of the data', dataDir)
    .addHelpText(
      'after',
      examples(
        ['data settings --app shop', 'as they are'],
        [
          'data settings --app shop --dashboard-url https://dash.example.com',
          'links to it from the next answer on',
        ],
      ),
    )
    .action(async ({ app, data: dir, table, dashboardUrl: url }: SettingsOptions) => {
      if (table !== undefined && url === undefined)
        throw new InvalidRequestError(
          '--table replaces the settings in that table: say what to change, by --dashboard-url or --no-dashboard-url',
        );
      const change = url === undefined ? {} : { dashboardUrl: url === false ? null : url };
      for (const line of linesOf(await editSettings({ dir, app }, change))) console.log(line);
      if (table === undefined) return;
      await publishSettings({ dir, app }, { tableName: table, existing: 'replace' }, clock);
      console.log(`\nThe table ${table} has these settings too.`);
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

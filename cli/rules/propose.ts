import { loadSettings } from '../../local/data/app-file.ts';
import { appIdsIn } from '../../local/data-access.ts';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { InvalidRequestError } from '../../shared/runtime/errors.ts';
import { watchesTheSame } from '../../workbench/starter/propose.ts';
import { ruleText } from '../../workbench/starter/starter-files.ts';
import { IMPORTED_DATA, type ProjectOptions, pathIn } from '../options/project.ts';
import { proposed } from '../options/proposals.ts';
import { readRules } from '../options/read-rules.ts';
import { Command } from '../terminal/command.ts';

interface Options extends ProjectOptions {
  rules: string;
  data?: string;
  app?: string;
}

/** `deltawatch propose`: rules for what the data has and no rule watches, as lines to add to a file of rules. */
export function proposeCommand(clock: Clock = systemClock): Command {
  return new Command('propose')
    .description('Propose rules for what no rule watches yet, with bounds from the data')
    .option('--rules <dir>', 'Folder of the rule files', 'rules')
    .option('--app <id>', 'App id; default: the app with imported data')
    .option('--data <dir>', 'Data folder')
    .example('propose', 'Print rules for new events')
    .example('propose --app shop --rules shop-rules', 'For one app, with the rules of a folder')
    .action(async (options: Options) => {
      const data = options.data ?? pathIn(options.project, IMPORTED_DATA);
      const app = await appIn(data, options.app);
      const zone = (await loadSettings(data, app))?.zone ?? 'UTC';
      const { rules } = await readRules(options.rules);
      const proposals = await proposed({ app, zone, data }, clock);
      const missing = proposals.filter(({ entry }) => !rules.some((rule) => watchesTheSame(rule, entry)));
      console.error(
        missing.length === 0
          ? `Rules watch everything that would be proposed for ${app}.`
          : `${missing.length} of ${proposals.length} rules that would be proposed for ${app} are missing:`,
      );
      for (const each of missing) console.log(ruleText(each, {}));
    });
}

async function appIn(data: string, named: string | undefined): Promise<string> {
  const known = await appIdsIn(data);
  const [app] = named === undefined ? known : known.filter((id) => id === named);
  if (app !== undefined && (named !== undefined || known.length === 1)) return app;
  throw new InvalidRequestError(
    known.length === 0
      ? `${data} has no data; import it with: deltawatch data import`
      : `${data} has the data of ${known.join(', ')}; name one of them with --app`,
  );
}

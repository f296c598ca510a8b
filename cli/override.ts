import { Command, Option } from 'commander';
import type { Place } from '../local/installation.ts';
import { endOverride, listOverrides, type OverrideReport, overrideRule } from '../local/overriding.ts';
import { type BoundsInstead, MOST_DAYS } from '../shared/alerting/overrides.ts';
import { type Clock, type Millis, systemClock } from '../shared/runtime/clock.ts';
import { InvalidRequestError } from '../shared/runtime/errors.ts';
import { printable } from '../shared/runtime/redaction.ts';
import { duration, examples, instant } from './arguments.ts';
import { ofInstallation, withInstallation } from './installation.ts';
import { minuteText } from './minute-text.ts';
import { boundsOption, minimumOption } from './override-bounds.ts';
import { safeLines } from './safe-lines.ts';
import { tableText } from './table.ts';
import { withUsage } from './usage.ts';
import { asOption, givenReason } from './who.ts';

/** `deltawatch override`: other bounds for a rule than its own, for some time and for a reason. */
export function overrideCommand(clock: Clock = systemClock): Command {
  const override = withUsage(new Command('override')).description(
    'let other bounds hold for a rule, for some time and for a reason',
  );
  addSet(override, clock);
  addList(override, clock);
  addEnd(override, clock);
  return override.addHelpText('after', EXAMPLES);
}

const EXAMPLES = examples(
  [
    'override new-users --fire change.below=-60% --for 3d --reason "a sale ends"',
    'let new users fall further before anybody is told',
  ],
  ['override list', 'what holds at the moment, by whose word and until when'],
  ['override end new-users', "the rule's own bounds hold again"],
);

interface SetOptions extends Place, BoundsInstead {
  until?: Millis;
  for?: Millis;
  reason: string;
  as: string;
  json?: true;
}

function addSet(override: Command, clock: Clock): void {
  const set = override
    .command('set', { isDefault: true })
    .description('override bounds of a rule ("set" may be left out)')
    .argument('<rule>', 'its id')
    .addOption(boundsOption('fire', 'a bound to breach, change.below=-60%; repeat for more'))
    .addOption(boundsOption('recover', 'a bound to recover inside of; repeat for more'))
    .addOption(minimumOption('a volume under which nothing fires, current=200; repeat for more'))
    .option('--until <time>', 'when it ends: 2026-03-01 or 2026-03-01T06:00Z', instant)
    .addOption(
      new Option('--for <how long>', `such as 90m, 4h or 3d; ${MOST_DAYS}d at most`)
        .argParser(duration)
        .conflicts('until'),
    )
    .requiredOption('--reason <text>', 'why, for those who read of it', givenReason)
    .addOption(asOption())
    .option('--json', 'print it as JSON');
  ofInstallation(set)
    .addHelpText('after', EXAMPLES)
    .action(async (ruleId: string, options: SetOptions) => {
      const { fire, recover, minimum, as: by, reason, json } = options;
      const at = clock.now();
      const untilAt = endOf(options, at);
      const request = { ruleId, instead: { fire, recover, minimum }, at, untilAt, by, reason };
      await withInstallation(options, clock, async (installation) => {
        const { words, report } = await overrideRule(request, installation);
        if (json) console.log(JSON.stringify(report));
        else {
          console.log(safeLines(words).join('\n'));
          const end = `"deltawatch override end ${ruleId}" ends it before`;
          console.error(
            safeLines(`It holds from the next run on, for ${installation.description}; ${end}.`).join('\n'),
          );
        }
      });
    });
}

function endOf({ until, for: span }: SetOptions, at: Millis): Millis {
  if (until !== undefined) return until;
  if (span !== undefined) return at + span;
  throw new InvalidRequestError('say for how long with --for, or until when with --until');
}

interface ListOptions extends Place {
  all?: boolean;
  json?: true;
}

function addList(override: Command, clock: Clock): void {
  const list = override
    .command('list')
    .description('show what holds, the first to end first')
    .option('--all', 'and what held in the last 30 days')
    .option('--json', 'print them as JSON');
  ofInstallation(list)
    .addHelpText(
      'after',
      examples(
        ['override list', 'what holds now'],
        ['override list --all', 'and what held in the last 30 days'],
      ),
    )
    .action(async ({ all = false, json, ...place }: ListOptions) => {
      const reports = await withInstallation(place, clock, ({ stores }) =>
        listOverrides(stores, { now: clock.now(), all }),
      );
      if (json) console.log(JSON.stringify(reports));
      else
        console.log(
          reports.length === 0 ? 'no overrides: all rules are judged by their own bounds' : tableOf(reports),
        );
    });
}

/** What holds instead, and why, stand below each: they are as long as people make them. */
function tableOf(reports: OverrideReport[]): string {
  const columns = ['RULE', 'STATE', 'UNTIL', 'BY'].map((title) => ({ title }));
  const rows = reports.map(({ rule, state, until, by }) => [
    rule,
    state,
    minuteText(Date.parse(until)),
    printable(by),
  ]);
  const [head = '', ...lines] = tableText(columns, rows).split('\n');
  const below = ({ bounds, reason }: OverrideReport) => [`  ${bounds}`, `  ${printable(reason)}`];
  return [head, ...lines.flatMap((line, i) => [line, ...(reports[i] ? below(reports[i]) : [])])].join('\n');
}

function addEnd(override: Command, clock: Clock): void {
  const end = override
    .command('end')
    .description("let a rule's own bounds hold again")
    .argument('<rule>', 'its id')
    .option('--json', 'print what ended as JSON');
  ofInstallation(end)
    .addHelpText('after', examples(['override end new-users', "the rule's own bounds hold again"]))
    .action(async (ruleId: string, { json, ...place }: Place & { json?: true }) => {
      const { words, report } = await withInstallation(place, clock, (each) =>
        endOverride(ruleId, clock.now(), each),
      );
      console.log(json ? JSON.stringify(report) : safeLines(words).join('\n'));
    });
}

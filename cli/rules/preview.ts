import { Command, Option } from 'commander';
import { progressLine } from '../../local/terminal.ts';
import { slackBlocks } from '../../shared/adapters/slack/blocks.ts';
import { TRANSITION_NAMES, type Transition } from '../../shared/alerting/alerts/transitions.ts';
import { momentText } from '../../shared/alerting/messages/figure-text.ts';
import type { Rule } from '../../shared/alerting/rules/rule.ts';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { type Preview, previewOf } from '../../workbench/preview/preview.ts';
import { type PastOptions, readPast, withPastOptions } from '../options/past.ts';
import { readRules } from '../options/read-rules.ts';
import { examples, wholeNumberIn } from '../terminal/arguments.ts';
import { interruption } from '../terminal/interruption.ts';
import { messageLines } from '../terminal/message-text.ts';
import { tellingOf } from './rule-text.ts';

interface Options extends PastOptions {
  transition: Transition;
  json?: true;
}

/** `deltawatch preview`: the message that a rule sends, from its past or, where it never fired, from made-up figures. */
export function previewCommand(clock: Clock = systemClock): Command {
  const command = new Command('preview')
    .description('show the message that a rule sends: that of its last fire, or a made-up one')
    .argument('<rule>', 'its id')
    .option('--rules <dir>', 'folder of the rule files', 'rules')
    .option('--days <number>', 'how far back to look', wholeNumberIn(1, 730), 90)
    .addOption(
      new Option('--transition <word>', 'which message of it').choices(TRANSITION_NAMES).default('fired'),
    );
  return withPastOptions(command)
    .option('--json', 'print one JSON document, with the blocks that Slack is sent')
    .addHelpText(
      'after',
      examples(
        ['preview new-users', 'what people read when it fires'],
        ['preview new-users --transition recovered', 'and when it is over'],
        ['preview new-users --json', 'for the Block Kit Builder of Slack'],
      ),
    )
    .action(async (id: string, options: Options) => {
      const written = await readRules(options.rules);
      const line = progressLine();
      const { rule, describe, ...past } = await readPast(id, written, options, { clock, line });
      const { transition } = options;
      const onProgress = (done: number, total: number) => line.show('Replaying', done, total);
      const preview = await previewOf({ rule, ...past, transition, signal: interruption(), onProgress });
      line.end();
      const telling = tellingOf(rule, written.routes);
      if (options.json)
        console.log(JSON.stringify(documentOf(preview, { rule, transition, telling }), null, 2));
      else console.log(textOf(preview, { rule, transition, telling, describe }).join('\n'));
      if (preview.kind === 'none') process.exitCode = 1;
    });
}

interface About {
  rule: Rule;
  transition: Transition;
  telling: string[];
}

function textOf(
  preview: Preview,
  { rule, transition, telling, describe }: About & { describe: string },
): string[] {
  if (preview.kind === 'none') return [`No message: ${preview.reason}`];
  const heading = preview.isMadeUp
    ? ['MADE UP: it never fired in the span; the last figures are altered until it does']
    : [`The last "${transition}", found ${momentText(preview.at, rule.zone)}`, `of ${describe}`];
  return [
    ...heading,
    ...telling,
    '-'.repeat(72),
    ...messageLines(preview.message),
    '-'.repeat(72),
    'Without links, pictures and what drove it, which only what runs can add',
  ];
}

/**
 * `--json`: `{rule, transition, madeUp, at, tells, text, blocks}`: `at` is the run that found it, as ISO 8601 in UTC;
 * `tells` sentences on who hears; `text` and `blocks` are what Slack is sent. Where there is none, `{rule, transition,
 * reason}`.
 */
function documentOf(preview: Preview, { rule, transition, telling }: About) {
  if (preview.kind === 'none') return { rule: rule.id, transition, reason: preview.reason };
  const { message, at, isMadeUp } = preview;
  const about = { rule: rule.id, transition, madeUp: isMadeUp, at: new Date(at).toISOString() };
  return { ...about, tells: telling.map((each) => each.trim()), ...slackBlocks(message) };
}

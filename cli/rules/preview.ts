import { Option } from 'commander';
import { progressLine } from '../../local/terminal.ts';
import { TRANSITION_NAMES, type Transition } from '../../shared/alerts/transitions.ts';
import { plainText } from '../../shared/channels/plain-text.ts';
import { slackBlocks } from '../../shared/channels/slack/blocks.ts';
import type { Message } from '../../shared/messages/message.ts';
import { routeTexts } from '../../shared/messages/route-text.ts';
import { momentText } from '../../shared/messages/time-text.ts';
import { routesFor } from '../../shared/notifications/routes.ts';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { printable } from '../../shared/runtime/redaction.ts';
import { spanWords } from '../../workbench/backtest/report-text.ts';
import { previewOf } from '../../workbench/preview/preview.ts';
import { type PastOptions, readPast } from '../options/past.ts';
import { withFigureOptions } from '../options/project.ts';
import { readRules } from '../options/read-rules.ts';
import { wholeNumberIn } from '../terminal/arguments.ts';
import { Command } from '../terminal/command.ts';
import { interruption } from '../terminal/interruption.ts';
import { wrapped } from '../terminal/wrapping.ts';

interface Options extends PastOptions {
  transition: Transition;
  json?: true;
}

/** `deltawatch preview`: the message that a rule sends, from its past or, where it never fired, from made-up figures. */
export function previewCommand(clock: Clock = systemClock): Command {
  const command = new Command('preview')
    .description('Show the message a rule would have sent when it last fired, or an example')
    .argument('<rule>', 'Rule id')
    .option('--rules <dir>', 'Folder of the rule files', 'rules')
    .option('--days <number>', 'Days of history to search', wholeNumberIn(1, 730), 90)
    .addOption(
      new Option('--transition <word>', 'Transition to show').choices(TRANSITION_NAMES).default('fired'),
    );
  return withFigureOptions(command)
    .option('--json', 'Print the Slack blocks as JSON')
    .example('preview new-users', 'The message when it fires')
    .example('preview new-users --transition recovered', 'The message when it recovers')
    .example('preview new-users --json', "For Slack's Block Kit Builder")
    .action(async (id: string, options: Options) => {
      const written = await readRules(options.rules);
      const line = progressLine();
      const { rule, describe, ...past } = await readPast(id, written, options, { clock, line });
      const period = spanWords(past.span);
      const { transition } = options;
      const onProgress = (done: number, total: number) => line.show('Replaying', done, total);
      const preview = await previewOf({ rule, ...past, transition, signal: interruption(), onProgress });
      line.end();
      if (preview.kind === 'none') {
        console.log(`No message: ${preview.reason}\nPeriod: ${period}`);
        process.exitCode = 1;
        return;
      }
      const { message, at, isMadeUp } = preview;
      if (options.json) return console.log(JSON.stringify(slackBlocks(message), null, 2));
      const receivers = routeTexts(routesFor(rule, written.routes, at));
      const heading = isMadeUp
        ? 'EXAMPLE: it did not fire; the latest figures are changed until it fires'
        : `The last "${transition}", found ${momentText(at, rule.zone)}`;
      const lines = [
        ...[heading, `over ${period}`, `of ${describe}`],
        ...receivers.map((text, i) => (i === 0 ? `notifies ${text}` : text)),
        '-'.repeat(72),
        ...messageLines(message),
        '-'.repeat(72),
        'Links, pictures and drivers are left out; only a running Deltawatch adds them.',
      ];
      console.log(lines.join('\n'));
    });
}

/** A message as plain text in 80 columns. */
export function messageLines(message: Message): string[] {
  return plainText(message, { limit: 1, answers: false })
    .split('\n')
    .flatMap((line) => wrapped(printable(line)));
}

import { Command, Option } from 'commander';
import { progressLine } from '../../local/terminal.ts';
import { TRANSITION_NAMES, type Transition } from '../../shared/alerts/transitions.ts';
import { slackBlocks } from '../../shared/channels/slack/blocks.ts';
import { momentText } from '../../shared/messages/figure-text.ts';
import type { Message } from '../../shared/messages/message.ts';
import { routeTexts } from '../../shared/messages/route-text.ts';
import { routesAtAnyTime, routesFor } from '../../shared/notifications/routes.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { printable } from '../../shared/runtime/redaction.ts';
import { spanWords } from '../../workbench/backtest/report-text.ts';
import { type Preview, previewOf } from '../../workbench/preview/preview.ts';
import { withFigureOptions } from '../options/figures.ts';
import { type PastOptions, readPast } from '../options/past.ts';
import { readRules } from '../options/read-rules.ts';
import { examples, wholeNumberIn } from '../terminal/arguments.ts';
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
    .option('--json', 'Print one JSON document with the Slack blocks')
    .addHelpText(
      'after',
      examples(
        ['preview new-users', 'The message when it fires'],
        ['preview new-users --transition recovered', 'The message when it recovers'],
        ['preview new-users --json', "For Slack's Block Kit Builder"],
      ),
    )
    .action(async (id: string, options: Options) => {
      const written = await readRules(options.rules);
      const line = progressLine();
      const { rule, describe, ...past } = await readPast(id, written, options, { clock, line });
      const period = spanWords(past.span);
      const { transition } = options;
      const onProgress = (done: number, total: number) => line.show('Replaying', done, total);
      const preview = await previewOf({ rule, ...past, transition, signal: interruption(), onProgress });
      line.end();
      const at = preview.kind === 'none' ? undefined : preview.at;
      const possible =
        at === undefined ? routesAtAnyTime(rule, written.routes) : routesFor(rule, written.routes, at);
      const notified = routeTexts(possible).map((text, i) => (i === 0 ? `notifies ${text}` : text));
      if (options.json)
        console.log(JSON.stringify(documentOf(preview, { rule, transition, notified }), null, 2));
      else console.log(textOf(preview, { rule, transition, notified, describe, period }).join('\n'));
      if (preview.kind === 'none') process.exitCode = 1;
    });
}

interface About {
  rule: Rule;
  transition: Transition;
  notified: string[];
}

function textOf(
  preview: Preview,
  { rule, transition, notified, describe, period }: About & { describe: string; period: string },
): string[] {
  if (preview.kind === 'none') return [`No message: ${preview.reason}`, `Period: ${period}`];
  const heading = preview.isMadeUp
    ? ['EXAMPLE: it did not fire; the latest figures are changed until it fires']
    : [`The last "${transition}", found ${momentText(preview.at, rule.zone)}`];
  return [
    ...heading,
    `over ${period}`,
    `of ${describe}`,
    ...notified,
    '-'.repeat(72),
    ...messageLines(preview.message),
    '-'.repeat(72),
    'Links, pictures and drivers are left out; only a running Deltawatch adds them.',
  ];
}

/**
 * `--json`: `{rule, transition, madeUp, at, receivers, text, blocks}`: `at` is the run that found it, as ISO 8601
 * in UTC; `receivers` says in sentences who is notified; `text` and `blocks` are the Slack message. Without a message:
 * `{rule, transition, reason}`.
 */
function documentOf(preview: Preview, { rule, transition, notified }: About) {
  if (preview.kind === 'none') return { rule: rule.id, transition, reason: preview.reason };
  const { message, at, isMadeUp } = preview;
  const about = { rule: rule.id, transition, madeUp: isMadeUp, at: new Date(at).toISOString() };
  return { ...about, receivers: notified.map((each) => each.trim()), ...slackBlocks(message) };
}

type Block = ReturnType<typeof slackBlocks>['blocks'][number];

/** A message as Slack shows it, in 80 columns. Small print is indented; pictures and buttons are in brackets. */
export function messageLines(message: Message): string[] {
  const { blocks } = slackBlocks(message);
  return blocks.flatMap((block, i) => [...(i > 0 ? [''] : []), ...linesOf(block)]);
}

function linesOf(block: Block): string[] {
  switch (block.type) {
    case 'header':
      return wrapped(printable(block.text.text));
    case 'section':
      return plain(block.text?.text ?? '')
        .split('\n')
        .flatMap((line) => wrapped(printable(line)));
    case 'context':
      return block.elements.flatMap((each) =>
        wrapped(`  ${'text' in each ? printable(plain(each.text ?? '')) : ''}`),
      );
    case 'image':
      return [`[picture: ${printable(block.alt_text)}]`];
    case 'actions':
      return [block.elements.map((each) => ('text' in each ? `[${each.text.text}]` : '')).join(' ')];
  }
}

/** Slack markup as plain text: no stars, named links, unescaped characters. */
function plain(text: string): string {
  return text
    .replaceAll(/<(https?:[^|>]+)\|([^>]+)>/g, '$2 ($1)')
    .replaceAll(/<(https?:[^|>]+)>/g, '$1')
    .replaceAll(/(?<!\S)\*([^*\n]+)\*(?!\S)/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

import { type Command, Option } from 'commander';
import type { Figures } from '../../local/figures.ts';
import type { progressLine } from '../../local/terminal.ts';
import { inFolder, ruleCalled } from '../../operations/find-rule.ts';
import type { RuleSet } from '../../shared/alerting/deployments/rule-store.ts';
import type { Rule } from '../../shared/alerting/rules/rule.ts';
import type { Window } from '../../shared/alerting/time/window.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { figuresOfFile, spanOfFile } from '../../workbench/backtest/file-figures.ts';
import { onlyRules } from '../../workbench/backtest/selected-rules.ts';
import { type Archive, readArchive } from '../../workbench/replay/archive.ts';
import { interruption } from '../terminal/interruption.ts';
import { type FigureOptions, openFigures, withFigureOptions } from './figures.ts';

const DAY = 86_400_000;

/** What is known of one rule's past: read once, to be replayed as often as it takes. */
export interface Past {
  rule: Rule;
  /** The rule with those that it watches, and the routes of the folder. */
  ruleSet: RuleSet;
  archive: Archive;
  span: Window;
  /** Where the figures come from, in words that end a sentence. */
  describe: string;
}

/** Where the past is read from, and how much of it. */
export interface PastOptions extends FigureOptions {
  /** The folder of the rule. */
  rules: string;
  days: number;
  readings?: string;
}

/** Adds the options that say so: those of figures, and a file in place of them. */
export function withPastOptions(command: Command): Command {
  return withFigureOptions(command).addOption(
    new Option('--readings <file>', 'CSV file of timestamp,value rows for the rule instead').conflicts([
      'data',
      'service',
    ]),
  );
}

/** Reads what the rule `id` needs to be replayed over the days before the last midnight (UTC), or the end of its file. */
export async function readPast(
  id: string,
  written: RuleSet,
  options: PastOptions,
  { clock, line }: { clock: Clock; line: ReturnType<typeof progressLine> },
): Promise<Past> {
  const where = inFolder(options.rules);
  const rule = ruleCalled(id, written, where);
  const ruleSet = onlyRules(written, [id], where);
  const { figures, span } = await openPast(options, ruleSet, clock);
  try {
    const archive = await readArchive({
      ...{ rules: ruleSet.rules, from: span.startAt, to: span.endAt },
      ...{ sourceFor: figures.sourceFor, clock, signal: interruption() },
      onProgress: (done, total) => line.show('Reading past data', done, total),
    });
    return { rule, ruleSet, archive, span, describe: figures.describe };
  } finally {
    figures.close();
  }
}

async function openPast(
  options: PastOptions,
  ruleSet: RuleSet,
  clock: Clock,
): Promise<{ figures: Figures; span: Window }> {
  const lengthMs = options.days * DAY;
  if (options.readings !== undefined) {
    const figures = await figuresOfFile(options.readings, ruleSet.rules);
    return { figures: { ...figures, close: () => {} }, span: spanOfFile(figures, options) };
  }
  const endAt = Math.floor(clock.now() / DAY) * DAY;
  const startAt = endAt - lengthMs;
  return {
    figures: await openFigures(options, { ruleSet, from: startAt, to: endAt, clock }),
    span: { startAt, endAt },
  };
}

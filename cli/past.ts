import { onlyRules } from '../local/backtest/some-rules.ts';
import { type Archive, readArchive } from '../local/replay/archive.ts';
import type { progressLine } from '../local/terminal.ts';
import type { RuleSet } from '../shared/alerting/ports.ts';
import type { Rule } from '../shared/alerting/rule.ts';
import type { Window } from '../shared/alerting/window.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import { type FigureOptions, openFigures } from './figures.ts';
import { interruption } from './interruption.ts';
import { rulesNamed } from './render.ts';

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

/** Reads what the rule `id` needs to be replayed over the days before the last midnight (UTC). */
export async function readPast(
  id: string,
  written: RuleSet,
  options: FigureOptions & { days: number },
  { clock, line }: { clock: Clock; line: ReturnType<typeof progressLine> },
): Promise<Past> {
  const [rule] = rulesNamed([id], written.rules);
  if (!rule) throw new RangeError('a rule is named or refused');
  const ruleSet = onlyRules(written, [id]);
  const endAt = Math.floor(clock.now() / DAY) * DAY;
  const span = { startAt: endAt - options.days * DAY, endAt };
  const figures = await openFigures(options, { ruleSet, from: span.startAt, to: endAt, clock });
  try {
    const archive = await readArchive({
      ...{ rules: ruleSet.rules, from: span.startAt, to: endAt },
      ...{ sourceFor: figures.sourceFor, clock, signal: interruption() },
      onProgress: (done, total) => line.show('Reading the past', done, total),
    });
    return { rule, ruleSet, archive, span, describe: figures.describe };
  } finally {
    figures.close();
  }
}

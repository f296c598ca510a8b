import { readArchive } from '../../local/replay/archive.ts';
import type { progressLine } from '../../local/terminal.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import type { Clock, Millis } from '../../shared/runtime/clock.ts';
import { InvalidRequestError } from '../../shared/runtime/errors.ts';
import type { Window } from '../../shared/time/window.ts';
import { DAY_MS, MINUTE_MS } from '../../shared/units/durations.ts';
import { inFolder, onlyRules, ruleCalled } from '../../workbench/find-rule.ts';
import { interruption } from '../terminal/interruption.ts';
import { type OpenFigures, openFigures } from './figures.ts';
import type { FigureOptions } from './project.ts';

/** The end of a replay without a requested end: its last run evaluates the last complete windows. */
function endOfPast(clock: Clock): Millis {
  return Math.floor(clock.now() / MINUTE_MS) * MINUTE_MS;
}

export interface PastOptions extends FigureOptions {
  rules: string;
  days: number;
  from?: Millis;
  to?: Millis;
}

/** History of one rule and its members: read once, replayed often. `describe`: the source, in words that end a sentence. */
export async function readPast(
  id: string,
  written: RuleSet,
  options: PastOptions,
  { clock, line }: { clock: Clock; line: ReturnType<typeof progressLine> },
) {
  const where = inFolder(options.rules);
  const rule = ruleCalled(id, written, where);
  const ruleSet = onlyRules(written, [id], where);
  const { figures, span } = await openPast(options, ruleSet, clock);
  using _ = figures;
  const archive = await readArchive({
    ...{ rules: ruleSet.rules, from: span.startAt, to: span.endAt },
    ...{ sourceFor: figures.sourceFor, clock, signal: interruption() },
    onProgress: (done, total) => line.show('Reading past data', done, total),
  });
  return { rule, ruleSet, archive, span, describe: figures.describe };
}

/** The figures of the rules, and the period to replay: from `--from` to `--to`, or the last days. */
export async function openPast(
  options: PastOptions,
  ruleSet: RuleSet,
  clock: Clock,
): Promise<{ figures: OpenFigures; span: Window }> {
  const { to: endAt = endOfPast(clock) } = options;
  const { from: startAt = endAt - options.days * DAY_MS } = options;
  if (endAt <= startAt) throw new InvalidRequestError('--to must be later than --from');
  if (endAt > clock.now())
    throw new InvalidRequestError('--to is in the future: only past data can be replayed');
  const figures = await openFigures(options, { ruleSet, from: startAt, to: endAt, clock });
  return { figures, span: { startAt, endAt } };
}

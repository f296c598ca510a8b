import { readArchive } from '../../local/replay/archive.ts';
import { replay } from '../../local/replay/replay.ts';
import { counted, progressLine } from '../../local/terminal.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import type { Clock, Millis } from '../../shared/runtime/clock.ts';
import { inMemoryStores } from '../../shared/store/in-memory/stores.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import { onlyRules } from '../../workbench/backtest/selected-rules.ts';
import { explainRule } from '../../workbench/explain/explain-rule.ts';
import type { Explanation } from '../../workbench/explain/explanation.ts';
import { inFolder, ruleCalled } from '../../workbench/find-rule.ts';
import { type FigureOptions, openFigures } from '../options/figures.ts';
import { readRules } from '../options/read-rules.ts';
import { interruption } from '../terminal/interruption.ts';

interface Options extends FigureOptions {
  rules: string;
  days: number;
  segment?: string;
  at?: Millis;
}

/**
 * Explains a rule of a folder as if it had run for some days before `--at`. Needs only figures, no
 * installation.
 */
export async function explainPast(
  ruleId: string,
  options: Options,
  clock: Clock,
): Promise<{ explanation: Explanation; rule: Rule; note: string }> {
  const written = await readRules(options.rules);
  const where = inFolder(options.rules);
  const rule = ruleCalled(ruleId, written, where);
  const ruleSet = onlyRules(written, [ruleId], where);
  const to = Math.min(options.at ?? clock.now(), clock.now());
  const span = { from: to - options.days * DAY_MS, to };
  const figures = await openFigures(options, { ...span, ruleSet, clock });
  const line = progressLine();
  try {
    const archive = await readArchive({
      ...{ ...span, rules: ruleSet.rules, sourceFor: figures.sourceFor, clock, signal: interruption() },
      onProgress: (done, total) => line.show('Reading past data', done, total),
    });
    const stores = inMemoryStores();
    const onProgress = (done: number, total: number) => line.show('Replaying', done, total);
    const events = replay({ ...span, ruleSet, figures: archive, stores, onProgress, signal: interruption() });
    // The stores collect the results.
    for await (const _ of events);
    const explanation = await explainRule({ ruleId, segment: options.segment, now: to }, stores);
    const days = counted(options.days, 'day');
    const note = `Replayed as if ${ruleId} had run for ${days} on ${figures.describe}. Nobody was notified; late data is included.`;
    return { explanation, rule, note };
  } finally {
    line.end();
    figures.close();
  }
}

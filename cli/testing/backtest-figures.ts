import type { Figures } from '../../local/figures.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import type { Clock, Millis } from '../../shared/runtime/clock.ts';
import { InvalidRequestError } from '../../shared/runtime/errors.ts';
import type { Window } from '../../shared/time/window.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import { figuresOfFile, spanOfFile } from '../../workbench/backtest/file-figures.ts';
import { type FigureOptions, openFigures } from '../options/figures.ts';
import { endOfPast } from '../options/past.ts';

/** The period to replay, as given by options. */
export interface PastOptions extends FigureOptions {
  from?: Millis;
  to?: Millis;
  days: number;
  readings?: string;
}

interface Replayed {
  ruleSet: RuleSet;
  base: RuleSet | undefined;
  clock: Clock;
}

/** The figures of both rule sets, and the replayed period. */
export async function pastFigures(
  options: PastOptions,
  { ruleSet, base, clock }: Replayed,
): Promise<{ figures: Figures; span: Window }> {
  const rules = [...ruleSet.rules, ...(base?.rules ?? [])];
  if (options.readings === undefined) {
    const span = spanOf(options, clock);
    const need = { ruleSet: { ...ruleSet, rules }, from: span.startAt, to: span.endAt, clock };
    return { figures: await openFigures(options, need), span };
  }
  const figures = await figuresOfFile(options.readings, rules);
  return { figures: { ...figures, close: () => {} }, span: spanOfFile(figures, options) };
}

function spanOf({ from, to, days }: PastOptions, clock: Clock): Window {
  const endAt = to ?? endOfPast(clock);
  const startAt = from ?? endAt - days * DAY_MS;
  if (endAt <= startAt) throw new InvalidRequestError('--to must be later than --from');
  if (endAt > clock.now())
    throw new InvalidRequestError('--to is in the future: only past data can be replayed');
  return { startAt, endAt };
}

import type { Command } from 'commander';
import type { MetricSource, RuleSet } from '../shared/alerting/ports.ts';
import type { Clock, Millis } from '../shared/runtime/clock.ts';

/** Where a command gets figures from, as its options say. */
export interface FigureOptions {
  data?: string;
  service?: string;
  keySecret?: string;
  seed: number;
}

/** What the figures are wanted for. */
export interface FigureNeed {
  ruleSet: RuleSet;
  from: Millis;
  to: Millis;
  clock: Clock;
}

export interface Figures {
  sourceFor: (app: string) => MetricSource;
  /** Where the figures come from, in a few words: `the demo shop, generated for these days`. */
  describe: string;
  close(): void;
}

/** Adds the options that say where figures come from. */
export function withFigureOptions(command: Command): Command {
  return command;
}

/** Opens what the options name, else what this machine has. Throws `ConfigError` with a sentence on what to do. */
export async function openFigures(_options: FigureOptions, _need: FigureNeed): Promise<Figures> {
  throw new Error('comes with the next commits');
}

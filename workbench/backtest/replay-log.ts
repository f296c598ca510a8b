import type { ReplayEvent, ReplayedGap, ReplayedMessage } from '../../local/replay/replayed.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { SeriesLog } from './series-log.ts';

/** A message as a channel received it. `rules`: distinct ids; none for the alert of an app. */
export interface LoggedMessage {
  route: string;
  channel: string;
  rules: string[];
}

/** What a replay keeps. Figures are dropped because there are too many. */
export class ReplayLog {
  readonly messages: LoggedMessage[] = [];
  readonly #rules: Map<string, Rule>;
  readonly #series = new Map<string, SeriesLog>();
  readonly #gaps: ReplayedGap[] = [];

  constructor(rules: readonly Rule[]) {
    this.#rules = new Map(rules.map((rule) => [rule.id, rule]));
  }

  add(event: ReplayEvent): void {
    switch (event.kind) {
      case 'evaluated':
        this.#logOf(event)?.add(event);
        return;
      case 'unseen':
        this.#logOf(event)?.addUnseen(event);
        return;
      case 'unevaluated':
        this.#gaps.push(event);
        return;
      case 'sent':
        this.#addMessage(event);
        return;
    }
  }

  /** The series of one rule, in the order of their first evaluation. */
  seriesOf(ruleId: string): SeriesLog[] {
    return [...this.#series.values()].filter(({ rule }) => rule.id === ruleId);
  }

  /** Runs that could not evaluate a rule to its end, in order. */
  gapsOf(ruleId: string): ReplayedGap[] {
    return this.#gaps.filter((gap) => gap.ruleId === ruleId);
  }

  #logOf({ ruleId, segment }: { ruleId: string; segment: string | null }): SeriesLog | undefined {
    const key = JSON.stringify([ruleId, segment]);
    const rule = this.#rules.get(ruleId);
    const log = this.#series.get(key) ?? (rule && new SeriesLog(rule, segment));
    if (log) this.#series.set(key, log);
    return log;
  }

  #addMessage({ route, channel, pending }: ReplayedMessage): void {
    const rules = [...new Set(pending.flatMap(({ rule }) => rule?.id ?? []))];
    this.messages.push({ route, channel, rules });
  }
}

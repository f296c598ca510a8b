import type { ReplayEvent, ReplayedGap, ReplayedMessage } from '../../local/replay/replayed.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { SeriesLog } from './fires.ts';

/** A message as a channel received it. `ruleIds` are distinct and exclude the app's own alert. */
export interface LoggedMessage {
  at: number;
  route: string;
  channel: string;
  ruleIds: string[];
}

/** What a replay keeps. Figures are dropped because there are too many. */
export class Ledger {
  readonly messages: LoggedMessage[] = [];
  readonly #gaps = new Map<string, ReplayedGap[]>();
  readonly #series = new Map<string, SeriesLog>();
  readonly #flaps = new Set<string>();
  readonly #rules: Map<string, Rule>;

  constructor(rules: readonly Rule[]) {
    this.#rules = new Map(rules.map((rule) => [rule.id, rule]));
  }

  add(event: ReplayEvent): void {
    switch (event.kind) {
      case 'evaluated':
        this.#logOf(event.ruleId, event.segment).add(event);
        return;
      case 'unseen':
        this.#logOf(event.ruleId, event.segment).addUnseen(event);
        return;
      case 'unevaluated':
        this.#addGap(event);
        return;
      case 'sent':
        this.#addMessage(event);
        return;
    }
  }

  /** The series of one rule, in the order of their first evaluation. */
  seriesOf(ruleId: string): SeriesLog[] {
    return [...this.#series.values()].filter((each) => each.ruleId === ruleId);
  }

  /** Runs that could not evaluate a rule to its end, in order. */
  gapsOf(ruleId: string): ReplayedGap[] {
    return this.#gaps.get(ruleId) ?? [];
  }

  /** Number of times that a rule was flapping. */
  flapsOf(ruleId: string): number {
    return [...this.#flaps].filter((key) => key.startsWith(`${ruleId} `)).length;
  }

  #logOf(ruleId: string, segment: string | null): SeriesLog {
    const key = JSON.stringify([ruleId, segment]);
    const log = this.#series.get(key) ?? new SeriesLog({ ruleId, segment }, this.#rules.get(ruleId));
    this.#series.set(key, log);
    return log;
  }

  #addGap(gap: ReplayedGap): void {
    const gaps = this.#gaps.get(gap.ruleId);
    if (gaps) gaps.push(gap);
    else this.#gaps.set(gap.ruleId, [gap]);
  }

  #addMessage({ at, route, channel, pending }: ReplayedMessage): void {
    const ruleIds = [...new Set(pending.flatMap(({ rule }) => rule?.id ?? []))];
    this.messages.push({ at, route, channel, ruleIds });
    // Each channel counts separately.
    for (const { alert, notification } of pending)
      if (notification.transition === 'flapping')
        this.#flaps.add(`${alert.ruleId} ${JSON.stringify([alert.segment, notification.windowEndAt])}`);
  }
}

import type { ReplayEvent, ReplayedMessage } from '../replay/replayed.ts';
import { SeriesLog } from './fires.ts';

/** A message as a channel was sent it. `ruleIds`: those it told of, each once; an app's own alert is none of them. */
export interface LoggedMessage {
  at: number;
  route: string;
  channel: string;
  ruleIds: string[];
}

/** What is kept of a replay while it goes on: figures are let go of, as there are too many. */
export class Ledger {
  readonly messages: LoggedMessage[] = [];
  /** How often a rule could not be judged, by rule and reason. */
  readonly gaps = new Map<string, Map<string, number>>();
  readonly #series = new Map<string, SeriesLog>();
  readonly #flaps = new Set<string>();

  add(event: ReplayEvent): void {
    switch (event.kind) {
      case 'judged':
        this.#logOf(event.ruleId, event.segment).add(event);
        return;
      case 'unjudged':
        this.#addGap(event.ruleId, event.reason);
        return;
      case 'sent':
        this.#addMessage(event);
        return;
    }
  }

  /** The series of one rule, in the order in which they were first judged. */
  seriesOf(ruleId: string): SeriesLog[] {
    return [...this.#series.values()].filter((each) => each.ruleId === ruleId);
  }

  /** How often a rule's alerts came and went so fast that only that was told. */
  flapsOf(ruleId: string): number {
    return [...this.#flaps].filter((key) => key.startsWith(`${ruleId} `)).length;
  }

  #logOf(ruleId: string, segment: string | null): SeriesLog {
    const key = JSON.stringify([ruleId, segment]);
    const log = this.#series.get(key) ?? new SeriesLog(ruleId, segment);
    this.#series.set(key, log);
    return log;
  }

  #addGap(ruleId: string, reason: string): void {
    const reasons = this.gaps.get(ruleId) ?? new Map<string, number>();
    this.gaps.set(ruleId, reasons.set(reason, (reasons.get(reason) ?? 0) + 1));
  }

  #addMessage({ at, route, channel, owed }: ReplayedMessage): void {
    const ruleIds = [...new Set(owed.flatMap(({ rule }) => rule?.id ?? []))];
    this.messages.push({ at, route, channel, ruleIds });
    // Every channel is told of it by itself.
    for (const { alert, debt } of owed)
      if (debt.transition === 'flapping')
        this.#flaps.add(`${alert.ruleId} ${JSON.stringify([alert.segment, debt.windowEndAt])}`);
  }
}

import type { Given, Outcome } from '../../shared/responding/give-answer.ts';
import type { Faults } from './faults.ts';
import { nameOf, type PendingEntry } from './ledger.ts';
import type { End } from './process.ts';
import type { Scheduler } from './scheduler.ts';

const [SECOND, MINUTE] = [1000, 60_000];

/** The retries of a person after an answer that may not have arrived. */
const TRIES = 3;

/** A link that two people use, and the outcome of each use; `unknown`: the page did not load. */
interface Answer {
  link: string;
  alert: string;
  outcomes: (Outcome['kind'] | 'unknown')[];
}

type Respond = (given: Given, who: string, onOutcome: (outcome: Outcome) => void) => Promise<End>;

/** The readers of a chat. Two of them answer some alerts at the same time with the same link. */
export class People {
  readonly answers: Answer[] = [];
  readonly #world: { scheduler: Scheduler; faults: Faults; respond: Respond };

  constructor(world: { scheduler: Scheduler; faults: Faults; respond: Respond }) {
    this.#world = world;
  }

  read(entries: PendingEntry[]): void {
    for (const entry of entries) if (entry.notification.transition === 'fired') this.#readFire(entry);
  }

  #readFire({ notification, alert }: PendingEntry): void {
    const { scheduler, faults } = this.#world;
    const link = `answer ${nameOf(alert)} ${notification.windowEndAt}`;
    if (this.answers.some((each) => each.link === link) || faults.chance(link) > 0.4) return;
    const answer: Answer = { link, alert: nameOf(alert), outcomes: [] };
    this.answers.push(answer);
    const given: Given = {
      key: { ruleId: alert.ruleId, segment: alert.segment },
      answer: faults.chance(`${link} which`) < 0.7 ? 'acknowledge' : 'snooze-1d',
      firedWindowEndAt: notification.firedWindowEndAt ?? notification.windowEndAt,
      link: { id: link, expiresAt: Infinity },
    };
    const wait = (1 + faults.chance(`${link} when`) * 90) * MINUTE;
    for (const who of ['Ada', 'Ben']) scheduler.after(wait, () => this.#press(who, given, answer, TRIES));
  }

  #press(who: string, given: Given, answer: Answer, tries: number): void {
    const { scheduler, respond } = this.#world;
    const onOutcome = ({ kind }: Outcome) => void answer.outcomes.push(kind);
    void respond(given, who, onOutcome).then((end) => {
      if (end === 'done') return;
      answer.outcomes.push('unknown');
      if (tries > 0) scheduler.after(20 * SECOND, () => this.#press(who, given, answer, tries - 1));
    });
  }
}

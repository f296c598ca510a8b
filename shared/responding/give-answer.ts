import type { Alert, AlertKey, Answer } from '../alerting/alerts/alert.ts';
import type { AlertStore, UnreadableAlert } from '../alerting/alerts/alert-store.ts';
import { answerAlert, type Refusal, standingOn, tickByHand } from '../alerting/alerts/answers.ts';
import { appAddressee, appOf } from '../alerting/alerts/app-alert.ts';
import type { Author } from '../alerting/alerts/author.ts';
import type { RuleSet, RuleStore } from '../alerting/deployments/rule-store.ts';
import { excusedText } from '../alerting/messages/answer-text.ts';
import type { MomentText } from '../alerting/messages/gate-text.ts';
import type { UsedLinks } from '../alerting/messages/link-purposes.ts';
import { refusalText } from '../alerting/messages/refusal-text.ts';
import { queueNews } from '../alerting/notifications/pending-notifications.ts';
import type { Rule } from '../alerting/rules/rule.ts';
import type { Clock } from '../runtime/clock.ts';
import { ConflictError, UpstreamError } from '../runtime/errors.ts';

export interface AnsweringDeps {
  rules: RuleStore;
  alerts: AlertStore;
  used: UsedLinks;
  clock: Clock;
}

/** An answer as it was given, by a link or on the page. */
export interface Given {
  key: AlertKey;
  answer: Answer;
  /** What the alert fired on when it was shown; `undefined` where that is not known: then as it stands. */
  firedWindowEndAt: number | undefined;
  /** Which fire for that window it was, where that is known. */
  fire?: number | undefined;
  /** The link by which it was given, good once, and until when it would have been. */
  link: { id: string; expiresAt: number } | null;
  /** The form of the page by which it was given, and which of its buttons: sent twice, it does what it does once. */
  form?: string | undefined;
}

/** What came of an answer; `outcomeText` has the words. */
export type Outcome =
  | { kind: 'answered'; excused: { firedWindowEndAt: number; rule: Rule } | null }
  | { kind: 'used'; by: string; usedAt: number }
  | { kind: 'refused'; refusal: Refusal | { code: 'no-such-alert' } };

/** An alert with its rule, which may have been removed since. */
export interface Answerable {
  alert: Alert;
  rule: Rule | undefined;
  ruleSet: RuleSet;
}

/**
 * Gives an answer to the alert as it stands, and has it told. The answer is saved with the alert, and names its link: so
 * a link that was used is known from the alert itself, however this run ends and whoever else uses it at the same time.
 * The record of used links comes after, for when the alert has forgotten.
 */
export async function giveAnswer(given: Given, who: Author, deps: AnsweringDeps): Promise<Outcome> {
  const said = { ...who, at: deps.clock.now() };
  for (;;) {
    const found = await loadAnswerable(given.key, deps);
    if (!found) return { kind: 'refused', refusal: { code: 'no-such-alert' } };
    const before = await earlierUse(given, found.alert, deps);
    // A save whose confirmation was lost is found again as our own.
    const { alert, rule } = found;
    const { answer, fire, link, form } = given;
    const firedWindowEndAt = given.firedWindowEndAt ?? standingOn(alert) ?? 0;
    const done = () => answered(answer, firedWindowEndAt, rule);
    if (before) return before.by === said.by && before.at === said.at ? done() : usedBy(before);
    const reply = { ...said, answer, firedWindowEndAt, fire, link: link?.id ?? form ?? null };
    const decided = answerAlert(alert, reply, rule);
    if (decided.kind === 'refused') return decided;
    try {
      await deps.alerts.save(telling(decided.step, found, said.at));
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      continue;
    }
    if (given.link) await deps.used.save(given.link.id, said, given.link.expiresAt);
    return done();
  }
}

/** Who used the link before, if anybody did. Says so too for links that only look. */
export async function earlierUse(
  { link, form }: Pick<Given, 'link' | 'form'>,
  alert: Alert,
  { used }: AnsweringDeps,
) {
  const id = link?.id ?? form;
  if (id === undefined) return undefined;
  return alert.answers.find((answer) => answer.link === id) ?? (link ? await used.find(id) : undefined);
}

export async function loadAnswerable(
  key: AlertKey,
  { rules, alerts }: Pick<AnsweringDeps, 'rules' | 'alerts'>,
): Promise<Answerable | undefined> {
  const unreadable: UnreadableAlert[] = [];
  const loading = alerts.load([key], (each) => void unreadable.push(each));
  const [ruleSet, [alert]] = await Promise.all([rules.loadCurrent(), loading]);
  if (unreadable[0]) throw new UpstreamError(unreadable[0].reason, { retryable: false });
  if (!ruleSet || !alert) return undefined;
  // Not one that was removed: an answer waits until the rule can be read.
  if (ruleSet.unreadable?.includes(key.ruleId))
    throw new UpstreamError(`the rule ${key.ruleId} cannot be read`, { retryable: false });
  return { alert, rule: ruleSet.rules.find(({ id }) => id === key.ruleId), ruleSet };
}

export function usedBy({ by, at }: { by: string; at: number }): Outcome {
  return { kind: 'used', by, usedAt: at };
}

function answered(answer: Answer, firedWindowEndAt: number, rule: Rule | undefined): Outcome {
  return { kind: 'answered', excused: answer === 'holiday' && rule ? { firedWindowEndAt, rule } : null };
}

/** What came of an answer, as a sentence without its full stop. */
export function outcomeText(outcome: Outcome, at: MomentText): string {
  switch (outcome.kind) {
    case 'answered': {
      const { excused } = outcome;
      return `Recorded${excused ? `: ${excusedText(excused.firedWindowEndAt, excused.rule)} is excused` : ''}`;
    }
    case 'used':
      return `${outcome.by} used this link ${at(outcome.usedAt)}. A link works once`;
    case 'refused':
      return outcome.refusal.code === 'no-such-alert'
        ? 'The alert no longer exists'
        : refusalText(outcome.refusal, at);
  }
}

/** The alert after the step, owing word of it to those who hear of it. */
function telling(
  step: Parameters<typeof queueNews>[0],
  { alert, rule, ruleSet }: Answerable,
  at: number,
): Alert {
  const app = appOf(alert);
  const ofApp = ruleSet.rules.filter((each) => each.app === app);
  const to = app === undefined ? rule : appAddressee(app, ofApp);
  if (!to) return step.alert;
  const about = {
    // Word that it goes on is of no window: that of a second snooze is another.
    windowEndAt: standingOn(step.alert) === null ? step.alert.evaluatedThroughAt : at,
    evaluation: alert.last,
    firedWindowEndAt: standingOn(alert),
    tick: tickByHand(at),
  };
  return queueNews(step, to, ruleSet.routes, about);
}

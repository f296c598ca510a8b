import type { Alert, AlertKey, Answer } from '../alerts/alert.ts';
import type { AlertStore, UnreadableAlert } from '../alerts/alert-store.ts';
import { answerAlert, firingSince, type Refusal, tickByHand } from '../alerts/answers.ts';
import { appAddressee, appOf } from '../alerts/app-alert.ts';
import type { Actor, AuditLog } from '../alerts/audit.ts';
import { appsIn, type RuleSet, type RuleStore } from '../deployments/rule-store.ts';
import { excusedText, refusalText } from '../messages/answer-text.ts';
import type { UsedLinks } from '../messages/link-purposes.ts';
import { momentText } from '../messages/time-text.ts';
import { queueNews } from '../notifications/pending-notifications.ts';
import type { Rule } from '../rules/rule.ts';
import type { Clock } from '../runtime/clock.ts';
import { ConflictError, UpstreamError } from '../runtime/errors.ts';
import type { Watched } from './alert-status.ts';

export interface AnsweringDeps {
  rules: RuleStore;
  alerts: AlertStore;
  used: UsedLinks;
  audit: Pick<AuditLog, 'save'>;
  clock: Clock;
}

/** An answer from a link, a button or the page. */
export interface Given {
  key: AlertKey;
  answer: Answer;
  /** The end of the window that the shown alert had fired on. `undefined`: the current one. */
  firedWindowEndAt: number | undefined;
  /** Which fire of that window it was, if known. */
  fire?: number | undefined;
  /** The single-use link that gave the answer, and its expiry. */
  link: { id: string; expiresAt: number } | null;
  /** The form and button that gave the answer, so that submitting it twice counts once. */
  form?: string | undefined;
}

/** The result of an answer. `outcomeText` formats it. */
export type Outcome =
  | { kind: 'answered'; excused: { firedWindowEndAt: number; rule: Rule } | null }
  | { kind: 'used'; by: string; usedAt: number }
  | { kind: 'refused'; refusal: Refusal | { code: 'no-such-alert' } };

/** An alert with its rule. `rule` is `undefined` if the rule was removed. */
type Answerable = Watched & { ruleSet: RuleSet };

/**
 * Saves an answer with its notifications in one write, and retries after a conflict. The saved answer contains the id of its
 * link, so a link counts once even if this run fails or two people use it at the same time. The record of used links
 * and the audit log follow, because an alert keeps only its last answers.
 */
export async function giveAnswer(
  given: Given,
  { how, ...who }: Actor,
  deps: AnsweringDeps,
): Promise<Outcome> {
  const author = { ...who, at: deps.clock.now() };
  for (;;) {
    const found = await loadAnswerable(given.key, deps);
    if (!found) return { kind: 'refused', refusal: { code: 'no-such-alert' } };
    const before = await earlierUse(given, found.alert, deps);
    // If the confirmation of our own save was lost, the answer is already there.
    const { alert, rule } = found;
    const { answer, fire, link, form } = given;
    const firedWindowEndAt = given.firedWindowEndAt ?? firingSince(alert) ?? 0;
    const done = async () => {
      if (link) await deps.used.save(link.id, author, link.expiresAt);
      const { ruleId: on, segment } = alert;
      const app = appOf(alert) ?? rule?.app ?? null;
      await deps.audit.save({ ...author, how, kind: 'answered', on, segment, app, detail: answer });
      const excused = answer === 'holiday' && rule ? { firedWindowEndAt, rule } : null;
      return { kind: 'answered' as const, excused };
    };
    if (before) return before.by === author.by && before.at === author.at ? done() : usedBy(before);
    const reply = { ...author, answer, firedWindowEndAt, fire, link: link?.id ?? form ?? null };
    const decided = answerAlert(alert, reply, rule);
    if (decided.kind === 'refused') return decided;
    try {
      await deps.alerts.save(withNotifications(decided.step, found, author.at));
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      continue;
    }
    return done();
  }
}

/** The earlier use of the link or form; `undefined` if there is none. */
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
  const wanted = { ids: new Set([key.ruleId]) };
  const [ruleSet, [alert]] = await Promise.all([rules.loadCurrent(wanted), loading]);
  if (unreadable[0]) throw new UpstreamError(unreadable[0].reason, { retryable: false });
  if (!ruleSet || !alert) return undefined;
  // An unreadable rule is not a removed rule: the answer must be repeated later.
  if (ruleSet.unreadable?.includes(key.ruleId))
    throw new UpstreamError(`the rule ${key.ruleId} cannot be read`, { retryable: false });
  return { alert, rule: ruleSet.rules.find(({ id }) => id === key.ruleId), ruleSet };
}

export function usedBy({ by, at }: { by: string; at: number }): Outcome {
  return { kind: 'used', by, usedAt: at };
}

/** The result of an answer as a sentence without its full stop. */
export function outcomeText(outcome: Outcome, zone: string): string {
  switch (outcome.kind) {
    case 'answered': {
      const { excused } = outcome;
      return `Recorded${excused ? `: ${excusedText(excused.firedWindowEndAt, excused.rule)} is excused` : ''}`;
    }
    case 'used':
      return `${outcome.by} used this link ${momentText(outcome.usedAt, zone)}. A link works once`;
    case 'refused':
      return outcome.refusal.code === 'no-such-alert'
        ? 'The alert no longer exists'
        : refusalText(outcome.refusal, zone);
  }
}

/** The alert after the step, with pending notifications for its channels. */
function withNotifications(
  step: Parameters<typeof queueNews>[0],
  { alert, rule, ruleSet }: Answerable,
  at: number,
): Alert {
  const app = appOf(alert);
  const watched = appsIn(ruleSet).find((each) => each.app === app);
  const to = watched ? appAddressee(watched) : rule;
  if (!to) return step.alert;
  const about = {
    // An answer to an open alert belongs to no window. `at` distinguishes a second snooze from the first.
    windowEndAt: firingSince(step.alert) === null ? step.alert.evaluatedThroughAt : at,
    evaluation: alert.last,
    firedWindowEndAt: firingSince(alert),
    tick: tickByHand(at),
  };
  return queueNews(step, to, ruleSet.routes, about);
}

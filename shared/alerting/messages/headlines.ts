import type { Alert, Debt } from '../alerts/alert.ts';
import { appOf } from '../alerts/app-alert.ts';
import { sinceOf } from '../alerts/open-since.ts';
import { isEnd, TRANSITIONS, type Transition } from '../alerts/transitions.ts';
import { comparableOf } from '../evaluation/comparable-length.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import type { FigureRule, Rule } from '../rules/rule.ts';
import { quoted } from '../text/quoted.ts';
import {
  amountText,
  briefMomentText,
  inWindowText,
  momentsIn,
  momentText,
  spanText,
  valueText,
} from './figure-text.ts';
import { gateText, type MomentText } from './gate-text.ts';
import { movedText } from './movement-text.ts';
import { whatNow } from './next-steps.ts';
import { reasonText } from './reason-text.ts';
import { subjectOf } from './subjects.ts';
import { plainVerdictText } from './verdict-text.ts';

/** What is told: a debt with the alert that owes it and its rule. */
export interface Told {
  alert: Alert;
  debt: Debt;
  rule: Rule | undefined;
  zone?: string | undefined;
}

/** A figure that was judged, with its rule. */
export interface Judged {
  evaluation: Evaluation;
  rule: FigureRule;
}

/** The figures that a message is about; `undefined` where it has none. */
export function judgedIn({ alert, debt, rule }: Told): Judged | undefined {
  if (!rule || rule.members) return undefined;
  const evaluation = evaluationFor(alert, debt);
  if (!evaluation || evaluation.current.value === null || evaluation.difference === null) return undefined;
  return { evaluation, rule };
}

function evaluationFor({ last }: Alert, { transition, evaluation }: Debt): Evaluation | null {
  switch (TRANSITIONS[transition].shown.figures) {
    case 'own':
      return evaluation;
    case 'own-or-last':
      return evaluation ?? last;
    case 'last':
      return last ?? evaluation;
  }
}

export function zoneOf({ rule, zone = 'UTC' }: Pick<Told, 'rule' | 'zone'>): string {
  return rule?.zone ?? zone;
}

/** What happened in one line, the verb in it: "Purchases in Germany down 41 %". */
export function headlineOf(told: Told): string {
  const { alert, debt, rule } = told;
  const { transition } = debt;
  const app = appOf(alert);
  if (app !== undefined) return appHeadline(told, app);
  const subject = subjectOf(alert, rule);
  const judged = judgedIn(told);
  const now = judged && amountText(judged.evaluation.current.value, judged.rule);
  const moved = `${subject}${movementOf(told, judged)}`;
  switch (transition) {
    case 'fired':
      return moved;
    case 'persists':
      return `${moved}, and it lasts`;
    case 'reminded':
      return `${moved}, still firing after ${spanText(debt.dueAt - sinceOf(alert))}`;
    case 'acknowledged':
      return `${takerOf(alert)} has taken it: ${moved}`;
    case 'snoozed':
      return `${snoozedText(told)}: ${moved}`;
    case 'recovered':
      return `Recovered: ${subject}${now ? ` back at ${now}` : ''}`;
    case 'retracted':
      return `Retracted: ${subject}${correction(debt, judged)}`;
    case 'accepted':
      return `Accepted as usual: ${subject}${now ? ` at ${now}` : ''}`;
    case 'excused':
      return `To be expected: ${moved}`;
    case 'restarted':
      return `${rule ? 'Judged afresh' : 'No longer watched'}: ${subject}`;
    case 'flapping':
      return `Coming and going: ${subject}${now ? `, now at ${now}` : ''}`;
    case 'calmed':
      return `Calm again: ${subject}${now ? ` at ${now}` : ''}`;
    default:
      return healthHeadline(told, subject, transition);
  }
}

type HealthNews = Extract<
  Transition,
  | ('no-data' | 'data-back' | 'failing' | 'broken' | 'stalled' | 'healed' | 'stopped' | 'resumed')
  | 'matches-nothing'
>;

/** What is told of whether a rule can be judged at all. */
function healthHeadline({ alert, debt, rule, zone }: Told, subject: string, news: HealthNews): string {
  if (!rule && isEnd(news)) return `No longer watched: ${subject}`;
  switch (news) {
    case 'no-data': {
      const since = alert.noData && briefMomentText(alert.noData.sinceAt, zoneOf({ rule, zone }), debt.since);
      return `No data for ${subject}${since ? ` since ${since}` : ''}`;
    }
    case 'data-back':
      return `Data again for ${subject}`;
    case 'failing':
      return `${subject} not checked: the last run failed`;
    case 'broken':
      return `${subject} not checked: 5 runs in a row failed`;
    case 'stalled':
      return `${subject} not checked: too few calls are left`;
    case 'healed':
      return `Checked again: ${subject}`;
    case 'matches-nothing': {
      const sinceAt = alert.unmatched?.sinceAt;
      const since = sinceAt === undefined ? '' : ` since ${momentText(sinceAt, zoneOf({ rule, zone }))}`;
      return `Matches nothing${since}: ${subject}`;
    }
    case 'stopped':
    case 'resumed':
      return `${subject}: ${reasonOf({ alert, debt, rule, zone })}`;
  }
}

function appHeadline(told: Told, app: string): string {
  const { alert, debt } = told;
  if (debt.transition === 'restarted') return `No longer watched: ${quoted(app)}`;
  if (debt.transition === 'acknowledged')
    return `${takerOf(alert)} has taken it: no data from ${quoted(app)}`;
  if (debt.transition === 'snoozed') return `${snoozedText(told)}: no data from ${quoted(app)}`;
  if (debt.transition === 'reminded')
    return `Still no data from ${quoted(app)} after ${spanText(debt.dueAt - alert.stateSinceAt)}`;
  const brief = (at: number) => briefMomentText(at, zoneOf(told), debt.since);
  return capitalised(reasonOf(told, brief));
}

function takerOf({ acknowledged }: Alert): string {
  return quoted(acknowledged?.by || 'Somebody');
}

/** "Anna has snoozed it until Tue 15:00 (Europe/Berlin)". */
function snoozedText(told: Told): string {
  const { alert, debt } = told;
  const who = quoted(alert.snoozed?.by || 'Somebody');
  const untilAt = alert.snoozed?.untilAt ?? null;
  const until = untilAt === null ? 'it recovers' : briefMomentText(untilAt, zoneOf(told), debt.since);
  return `${who} has snoozed it until ${until}`;
}

/** Begins with the space or the comma that it needs. */
function movementOf(told: Told, judged: Judged | undefined): string {
  const { debt, rule } = told;
  if (judged) return ` ${movedText(judged.evaluation, judged.rule)}`;
  return rule?.members && debt.evaluation
    ? `: ${evaluatedText(debt.evaluation, rule, momentsIn(zoneOf(told)))}`
    : ' fires';
}

function correction({ firstRead }: Debt, judged: Judged | undefined): string {
  if (!judged) return '';
  const { evaluation, rule } = judged;
  const now = amountText(evaluation.current.value, rule);
  return firstRead?.value == null ? ` at ${now}` : ` at ${now}, not ${valueText(firstRead.value, rule)}`;
}

/** What happened in one more line: "From 1,000 to 590 events on Tue 3 Mar 2026 (UTC)"; else why, or what now. */
export function summaryOf(told: Told): string {
  const { alert, debt, rule } = told;
  const judged = judgedIn(told);
  const isUntaken = debt.transition === 'reminded' && alert.acknowledged === null;
  if (!judged && isUntaken) return 'Nobody has taken it yet';
  if (!judged && debt.transition === 'acknowledged' && alert.acknowledged)
    return `Taken ${momentText(alert.acknowledged.at, zoneOf(told))}`;
  if (!judged && debt.transition === 'snoozed' && alert.snoozed)
    return `Snoozed ${momentText(alert.snoozed.at, zoneOf(told))}`;
  if (judged) return `${figuresLine(debt, judged)}${isUntaken ? '; nobody has taken it yet' : ''}`;
  const members =
    rule?.members && debt.evaluation?.gates.filter(({ gate, passed }) => gate === 'member' && passed);
  if (members && members.length > 0)
    return members.map((gate) => gateText(gate, momentsIn(zoneOf(told)))).join('; ');
  const next = TRANSITIONS[debt.transition].shown.why ? undefined : whatNow(told);
  return next ?? capitalised(reasonOf(told));
}

function figuresLine({ transition, firedWindowEndAt }: Debt, { evaluation, rule }: Judged): string {
  const { window, baselineWindow, current, origin } = evaluation;
  const { compared } = TRANSITIONS[transition].shown;
  const isFrozen = compared === 'frozen' && baselineWindow.endAt < (firedWindowEndAt ?? 0);
  const now = amountText(current.value, rule);
  const before = valueText(comparableOf(evaluation) ?? 0, rule);
  const when = inWindowText(window, { grain: rule.window, zone: rule.zone });
  switch (origin.of) {
    case 'window':
      return compared === 'moved'
        ? `From ${before} to ${now} ${when}`
        : `${now} ${when}, ${before} ${isFrozen ? 'before it fired' : 'before'}`;
    case 'median':
      return `${now}, usually ${before}, ${when}`;
    case 'model':
      return `${now}, ${before} expected, ${when}`;
  }
}

/** Why, in plain words and in the rule's zone. */
export function reasonOf(told: Told, at: MomentText = momentsIn(zoneOf(told))): string {
  const { debt, rule } = told;
  const { evaluation } = debt;
  const verdict = evaluation ? evaluatedText(evaluation, rule, at) : '';
  return reasonText(debt.reason, { at, window: rule?.window ?? 'window', verdict });
}

function evaluatedText(evaluation: Evaluation, rule: Rule | undefined, at: MomentText): string {
  return plainVerdictText(evaluation, rule, at);
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

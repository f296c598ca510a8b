import type { Announced, Debt, Transition } from './alert.ts';
import type { Evaluation } from './evaluation.ts';
import { MAX_CATCH_UP } from './plan.ts';
import type { FigureRule } from './rule.ts';
import { windowEnding } from './window.ts';
import {
  amountText,
  baselineText,
  boundsText,
  figure,
  momentText,
  percentText,
  pText,
  windowText,
} from './wording.ts';

/** A label and a text, for people. */
export interface Fact {
  label: string;
  text: string;
}

/** What the figures say, for what has some; `announced`: what people were told of the alert before. */
export function factsOf(
  debt: Debt,
  evaluation: Evaluation,
  rule: FigureRule,
  announced: Announced[],
): Fact[] {
  const { current, baseline, previous, difference, change, window } = evaluation;
  const calendar = { grain: rule.window, zone: rule.zone };
  const facts: Fact[] = [
    { label: 'Now', text: `${amountText(current.value, rule)} in ${windowText(window, calendar)}` },
    { label: 'Before', text: `${amountText(baseline.value, rule)} ${baselineText(evaluation, calendar)}` },
    {
      label: 'Difference',
      text: `${signed(difference)} (${change === null ? 'new, from 0' : percentText(change)})`,
    },
    groundsOf(debt, evaluation, rule),
  ];
  if (debt.drivers.length > 0) facts.push({ label: 'What drove it', text: debt.drivers.join(' ') });
  if (rule.baseline.to !== 'previous_period')
    facts.push({ label: 'The window before', text: amountText(previous.value, rule) });
  if (debt.firedWindowEndAt !== null && debt.transition !== 'fired')
    facts.push({
      label: 'Fired',
      text: `for ${windowText(windowEnding(debt.firedWindowEndAt, calendar), calendar)}${toldText(debt, rule, announced)}`,
    });
  if (debt.firstRead)
    facts.push({
      label: 'First read',
      text: `${amountText(debt.firstRead.value, rule)}, before late data came`,
    });
  const lateHours = (debt.since - window.endAt) / 3_600_000 - rule.settle / 60;
  if (lateHours > (window.endAt - window.startAt) / 3_600_000) {
    const judged = debt.firstRead ? 'judged again' : 'judged';
    facts.push({ label: 'Late', text: `${judged} ${figure(lateHours)} hours after the window had settled` });
  }
  return facts;
}

/** What the message rests on. */
function groundsOf(debt: Debt, evaluation: Evaluation, rule: FigureRule): Fact {
  switch (debt.transition) {
    case 'fired':
      return { label: 'How sure', text: sureness(evaluation, rule) };
    case 'recovered':
      return backFact(debt, evaluation, rule);
    default:
      return { label: 'Why', text: debt.reason };
  }
}

/** When people were first told of the fire that this message is about, if they were. */
function toldText(debt: Debt, { zone }: FigureRule, announced: Announced[]): string {
  const first = announced.find(
    ({ transition, channel, windowEndAt }) =>
      transition === 'fired' && channel === debt.channel && windowEndAt === debt.firedWindowEndAt,
  );
  return first ? `, told ${momentText(first.sentAt, zone)}` : '';
}

function backFact(debt: Debt, { recovered }: Evaluation, rule: FigureRule): Fact {
  const bounds = rule.recover ?? rule.fire;
  const within = bounds ? `within the bounds ${boundsText(bounds)}` : 'within what is usual';
  return { label: 'Back', text: recovered ? within : debt.reason };
}

const WHAT_NOW: Partial<Record<Transition, string>> = {
  restarted: 'Nothing: if it still is wrong by the changed rule, it fires again.',
  'no-data': 'The alert is held as it is until there is a value again; you hear of that.',
  failing: 'Nothing is taken for "all clear": the same windows are tried again at the next run.',
  broken: 'It failed five times in a row and goes on trying; you hear again when it works.',
  stalled: 'The windows wait and are judged when it is possible again; you hear of that.',
  healed: `The windows that were missed are judged now, the last ${MAX_CATCH_UP} of them at most.`,
  stopped: 'Look at the source first. All rules of the app wait for it, and say nothing of their own.',
  resumed: `The windows that were missed are judged now, the last ${MAX_CATCH_UP} of them at most.`,
};

/** The rules that fire, each with its figures, for a rule over rules. */
export function memberFacts({ gates }: Evaluation): Fact[] {
  return gates
    .filter(({ gate, passed }) => gate === 'member' && passed)
    .map(({ detail }) => ({ label: 'Fires', text: detail }));
}

/** Why, and what now, for what has no figures. */
export function plainFacts({ transition, reason }: Debt): Fact[] {
  const next = WHAT_NOW[transition];
  return [{ label: 'Why', text: reason }, ...(next ? [{ label: 'What now', text: next }] : [])];
}

function sureness({ significance, gates }: Evaluation, { ratio, funnel }: FigureRule): string {
  const asked = ['significance', 'season', 'family'];
  const said = gates.filter(({ gate }) => asked.includes(gate)).map(({ detail }) => detail);
  const exact = ratio || funnel ? "Fisher's exact test" : 'exact test of two Poisson counts';
  if (significance?.exactP != null) said.push(`${exact}: p ${pText(significance.exactP)}`);
  return said.join('; ') || 'not tested';
}

function signed(value: number | null): string {
  return value === null ? 'unknown' : `${value > 0 ? '+' : ''}${figure(value)}`;
}

import { comparableOf, type Evaluation } from '../evaluation/evaluation.ts';
import type { FiringSeries, Gate } from '../evaluation/gate.ts';
import { settledGate } from '../evaluation/gates.ts';
import { meaningOf } from '../readings/series.ts';
import type { CompositeRule, FigureRule } from '../rules/rule.ts';
import type { Window } from '../time/window.ts';
import type { Alert } from './alert.ts';

/** Firing segments of a member that are listed. */
const SHOWN = 3;

/** A member. `whole`: its own alert, which records how far it was evaluated. It fires if one of `series` does. */
export interface Member {
  rule: FigureRule;
  whole: Alert | undefined;
  series: Alert[];
}

export function memberOf(rule: FigureRule, alerts: Alert[]): Member {
  const meaning = meaningOf(rule);
  const own = alerts.filter(({ ruleHash }) => ruleHash === meaning);
  return { rule, whole: own.find(({ segment }) => segment === null), series: own };
}

/** The member restricted to one of its segments. */
export function ofSegment({ series, ...member }: Member, segment: string): Member {
  return { ...member, series: series.filter((alert) => alert.segment === segment) };
}

/** The evaluation from the members' alerts. `undefined` while some that could change it are not evaluated. */
export function evaluateMembers(
  rule: CompositeRule,
  window: Window,
  members: Member[],
): Evaluation | undefined {
  const states = members.map((member) => stateOf(member, window));
  const firing = states.filter((state) => state === 'firing').length;
  const open = states.filter((state) => state === 'unknown').length;
  const needed = rule.members.needs === 'all' ? members.length : 1;
  const isBreached = firing >= needed;
  if (!isBreached && firing + open >= needed) return undefined;
  const nothing = { window, value: null, weight: null };
  return {
    current: nothing,
    baseline: { ...nothing, origin: { of: 'window' } },
    previous: { value: null, weight: null },
    difference: null,
    change: null,
    gates: [settledGate(rule, window), ...members.map((member) => memberGate(member, window))],
    significance: null,
    surprise: null,
    verdict: isBreached ? 'breached' : 'clear',
    reason: { code: 'members', firing, of: members.length },
    recovered: !isBreached,
  };
}

function stateOf({ whole, series }: Member, { endAt }: Window): 'firing' | 'not-firing' | 'unknown' {
  if (!whole || whole.evaluatedThroughAt < endAt) return 'unknown';
  return series.some((alert) => firedAt(alert, endAt)) ? 'firing' : 'not-firing';
}

/** Whether the alert fired at the end of an evaluated window: each later change inverts it. */
function firedAt({ fired, changes }: Alert, endAt: number): boolean {
  const since = changes.filter((at) => at > endAt).length;
  return (fired !== null) === (since % 2 === 0);
}

function memberGate(member: Member, window: Window): Gate {
  const { rule, series } = member;
  const { title, metric, ratio, funnel, formula, figures, unit } = rule;
  const watched = { metric, ratio, funnel, formula, figures, unit };
  const about = { gate: 'member', figures: {}, title, watched } as const;
  if (stateOf(member, window) !== 'firing') return { ...about, passed: false, code: 'member-not-firing' };
  const firing = series.filter((alert) => firedAt(alert, window.endAt));
  const shown = firing.slice(0, SHOWN).map(({ segment, last }): FiringSeries => {
    const movement = last?.current.window.endAt === window.endAt ? movementIn(last) : undefined;
    return { segment, ...(movement && { movement }) };
  });
  return { ...about, passed: true, code: 'member-firing', firing: shown, more: firing.length - shown.length };
}

function movementIn(evaluation: Evaluation): FiringSeries['movement'] {
  const from = comparableOf(evaluation);
  const to = evaluation.current.value;
  return from === null || to === null ? undefined : { from, to, change: evaluation.change };
}

import type { Alert } from './alert.ts';
import type { Evaluation, Gate } from './evaluation.ts';
import { settledGate } from './gates.ts';
import { quoted } from './quoted.ts';
import type { CompositeRule, FigureRule } from './rule.ts';
import { meaningOf } from './series.ts';
import type { Window } from './window.ts';
import { movementText } from './wording.ts';

/** Firing segments of a member that are named. */
const SHOWN = 3;

/** A rule that another one is about: its own alert, which knows how far it is judged, and all that count as its firing. */
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

/** The member as far as one of its segments goes. */
export function ofSegment({ series, ...member }: Member, segment: string): Member {
  return { ...member, series: series.filter((alert) => alert.segment === segment) };
}

/**
 * What a rule over rules is found to be in `window`, from what its members' alerts were at its end. `undefined` as long as
 * too few of them have judged it: what is not known yet must not be able to change the verdict.
 */
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
  const nothing = { value: null, weight: null };
  return {
    window,
    baselineWindow: window,
    origin: { of: 'window' },
    current: nothing,
    baseline: nothing,
    previous: nothing,
    difference: null,
    change: null,
    gates: [settledGate(rule, window), ...members.map((member) => memberGate(member, window))],
    significance: null,
    surprise: null,
    verdict: isBreached ? 'breached' : 'clear',
    reason: `${firing} of ${members.length} rules ${firing === 1 ? 'fires' : 'fire'}`,
    recovered: !isBreached,
  };
}

function stateOf({ whole, series }: Member, { endAt }: Window): 'firing' | 'calm' | 'unknown' {
  if (!whole || whole.judgedThroughAt < endAt) return 'unknown';
  return series.some((alert) => firedAt(alert, endAt)) ? 'firing' : 'calm';
}

/** Whether the alert fired at the end of a window that it has judged: each change since then turned it over. */
function firedAt({ fired, changes }: Alert, endAt: number): boolean {
  const since = changes.filter((at) => at > endAt).length;
  return (fired !== null) === (since % 2 === 0);
}

function memberGate(member: Member, window: Window): Gate {
  const { rule, series } = member;
  const passed = stateOf(member, window) === 'firing';
  const firing = series.filter((alert) => firedAt(alert, window.endAt));
  const said = firing.slice(0, SHOWN).map((alert) => {
    const { segment, last } = alert;
    const text = last?.window.endAt === window.endAt ? movementText(last, rule) : 'fires';
    return segment === null ? text : `${segment === '' ? '(none)' : quoted(segment)} ${text}`;
  });
  const more = firing.length > SHOWN ? [`${firing.length - SHOWN} more`] : [];
  const detail = passed ? [...said, ...more].join(', ') : 'does not fire';
  return { gate: 'member', passed, detail: `${quoted(rule.title)} ${detail}`, figures: {} };
}

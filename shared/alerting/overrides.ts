import type { Alert, Said } from './alert.ts';
import { type Bounds, outsideFireBounds } from './bounds.ts';
import { nextRun } from './cadence.ts';
import type { Evaluation } from './evaluation.ts';
import { quoted } from './quoted.ts';
import type { FigureRule, Rule } from './rule.ts';
import { meaningOf } from './series.ts';
import type { Window } from './window.ts';
import { figure, momentText, percentText } from './wording.ts';

const DAY_MS = 86_400_000;

/** An override that were to hold for longer is a change of the rule, and belongs where others review it. */
export const MOST_DAYS = 30;

/** What holds in the place of a rule's own: each bound by itself, the others stay. */
export interface BoundsInstead {
  fire?: Bounds | undefined;
  recover?: Bounds | undefined;
  minimum?: Partial<FigureRule['minimum']> | undefined;
}

/** By whose word, until when and why a window was judged by other bounds than the rule's own. */
export interface Overriding extends Said {
  untilAt: number;
  instead: BoundsInstead;
}

/** Bounds that hold for the ticks of one rule whose scheduled time lies in `[at, untilAt)`. */
export interface Override extends Overriding {
  ruleId: string;
  /** What the rule meant when this was said: it is about no other bounds than those. */
  meaning: string;
}

/**
 * What holds for the tick of `scheduledAt`: the last word that was given by then, unless it is over, or the rule has come
 * to mean something else since. A newer word takes the place of an older one for good.
 */
export function overrideAt(rule: Rule, overrides: Override[], scheduledAt: number): Override | undefined {
  const given = overrides.filter(({ ruleId, at }) => ruleId === rule.id && at <= scheduledAt);
  const last = given.reduce<Override | undefined>((a, b) => (a && a.at >= b.at ? a : b), undefined);
  return last && scheduledAt < last.untilAt && isAbout(last, rule) ? last : undefined;
}

/** Whether it is about the rule as it is: a deployment that changes what the rule means ends it. */
export function isAbout({ ruleId, meaning }: Override, rule: Rule): boolean {
  return ruleId === rule.id && meaning === meaningOf(rule);
}

/** The scheduled time of the first run that can judge `window`. */
export function dueAt({ cadence, settle }: Rule, { endAt }: Window): number {
  return nextRun(cadence, endAt + settle * 60_000 - 1);
}

/**
 * What `window` was judged by, as its alert remembers, so that it is judged again by nothing else: not by what was said
 * after it. Of one that the alert knows nothing of, what held when it was due.
 */
export function overrideOf(
  window: Window,
  rule: Rule,
  { recent }: Pick<Alert, 'recent'>,
  overrides: Override[],
): Override | undefined {
  if (overrides.length === 0) return undefined;
  const judged = recent.find(({ endAt }) => endAt === window.endAt);
  if (!judged) return overrideAt(rule, overrides, dueAt(rule, window));
  return overrides.find((each) => each.at === judged.overriddenAt && isAbout(each, rule));
}

/** The rule with these bounds in the place of its own. */
export function withBounds(rule: FigureRule, { fire, recover, minimum }: BoundsInstead): FigureRule {
  const fires = merged(rule.fire, fire);
  return {
    ...rule,
    ...(fires && { fire: fires }),
    ...(recover && { recover: merged(rule.recover ?? fires, recover) }),
    minimum: { ...rule.minimum, ...minimum },
  };
}

/** The rule by which a window was judged. */
export function asJudged(rule: FigureRule, { override }: Pick<Evaluation, 'override'>): FigureRule {
  return override ? withBounds(rule, override.instead) : rule;
}

function merged(own: Bounds | undefined, instead: Bounds | undefined): Bounds | undefined {
  if (!instead) return own;
  const { change, difference, current } = instead;
  return {
    ...own,
    ...(change && { change: { ...own?.change, ...change } }),
    ...(difference && { difference: { ...own?.difference, ...difference } }),
    ...(current && { current: { ...own?.current, ...current } }),
  };
}

/** One number of a rule that is another for now; `from` is `null` where the rule has none. */
interface Changed {
  of: 'fire' | 'recover' | 'minimum';
  /** "change below". */
  name: string;
  isShare: boolean;
  from: number | null;
  to: number;
}

function changedIn(rule: FigureRule, { fire, recover, minimum = {} }: BoundsInstead): Changed[] {
  const bounds = (of: 'fire' | 'recover', own: Bounds | undefined, instead: Bounds = {}): Changed[] =>
    KINDS.flatMap((kind) =>
      SIDES.flatMap((side) => {
        const to = instead[kind]?.[side];
        if (to === undefined) return [];
        const from = own?.[kind]?.[side] ?? null;
        return [{ of, name: `${kind} ${side}`, isShare: kind === 'change', from, to }];
      }),
    );
  return [
    ...bounds('fire', rule.fire, fire),
    ...bounds('recover', rule.recover ?? rule.fire, recover),
    ...MINIMUMS.flatMap((name): Changed[] => {
      const to = minimum[name];
      return to === undefined ? [] : [{ of: 'minimum', name, isShare: false, from: rule.minimum[name], to }];
    }),
  ];
}

const KINDS = ['change', 'difference', 'current'] as const;
const SIDES = ['above', 'below'] as const;
const MINIMUMS = ['current', 'baseline', 'difference'] as const;

/** Why these bounds cannot hold for the rule in `[at, untilAt)`, in a sentence; `undefined` where they can. */
export function overrideFault(
  rule: Rule,
  instead: BoundsInstead,
  { at, untilAt }: { at: number; untilAt: number },
): string | undefined {
  if (rule.members)
    return `${rule.id} fires when others do and has no bounds: override those of ${rule.members.ruleIds.join(', ')}`;
  if (untilAt <= at) return 'an override ends in the future';
  if (untilAt > at + MOST_DAYS * DAY_MS)
    return `an override lasts ${MOST_DAYS} days at most: what is to last longer belongs into the rule's file`;
  const changed = changedIn(rule, instead);
  if (changed.length === 0) return 'say which bounds, with --fire, --recover or --minimum';
  const unknown = changed.find(({ from }) => from === null);
  if (unknown) return unknownText(rule, unknown);
  if (changed.every(({ from, to }) => from === to)) return `these are the bounds that ${rule.id} has already`;
  const { fire, recover } = withBounds(rule, instead);
  const [crossed] = outsideFireBounds(fire, recover);
  return crossed && `"recover" ${crossed.path.join('.')} ${crossed.message}: name both, or move it less far`;
}

function unknownText(rule: FigureRule, { of, name }: Changed): string {
  const has = changedIn(rule, { fire: rule.fire }).map((each) => each.name.replace(' ', '.'));
  const asked = `${of} ${name.replace(' ', '.')}`;
  return has.length === 0
    ? `${rule.id} has no ${asked}: it is judged by what is usual, and only its minimum can be overridden`
    : `${rule.id} has no ${asked}, only ${has.join(', ')}: what it has not is a change of the rule`;
}

/** "fire change below -60 % instead of -30 %; minimum current 200 instead of 0". */
export function insteadText(instead: BoundsInstead, rule: FigureRule): string {
  return changedIn(rule, instead)
    .map(({ of, name, isShare, from, to }) => {
      const text = (value: number) => (isShare ? percentText(value) : figure(value));
      return `${of} ${name} ${text(to)}${from === null ? '' : ` instead of ${text(from)}`}`;
    })
    .join('; ');
}

/** "overridden by ada until Tue 24 Nov 2026, 09:00 (UTC): a sale; fire change below -60 % instead of -30 %". */
export function overrideWords({ by, untilAt, reason, instead }: Overriding, rule: FigureRule): string {
  const until = momentText(untilAt, rule.zone);
  return `overridden by ${quoted(by)} until ${until}: ${quoted(reason)}; ${insteadText(instead, rule)}`;
}

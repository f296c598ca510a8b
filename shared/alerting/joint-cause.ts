import { type Alert, isEnd } from './alert.ts';
import { cadenceName } from './cadence.ts';
import type { Owed } from './message.ts';
import { metricOf } from './metrics.ts';
import { hasSegments, type Rule } from './rule.ts';
import { openOn } from './told.ts';

/** Fewer rules that fall together may do so by chance, or watch the same thing. */
const LEAST = 3;

/**
 * What one channel is owed, with the common cause of what has one: where most counts of an app that are judged in one
 * run fell in it, it is more likely that no longer all is counted than that everything went wrong at once. What is
 * over is told together too, unless something of its cause `stillFires`.
 */
export function withCommonCauses(owed: Owed[], rules: Rule[], stillFires: ReadonlySet<string>): Owed[] {
  const falls = Map.groupBy(owed.filter(isFall), causeOfFall);
  const causes = new Set([...falls].flatMap(([cause, fell]) => (isCommon(fell, rules) ? [cause] : [])));
  return owed.map((each) => {
    const cause = each.debt.cause ?? (isEnd(each.debt.transition) ? overCause(each) : fallCause(each));
    return cause === undefined ? each : { ...each, debt: { ...each.debt, cause } };
  });

  function fallCause(each: Owed): string | undefined {
    const cause = isFall(each) ? causeOfFall(each) : undefined;
    return cause !== undefined && causes.has(cause) ? cause : undefined;
  }

  function overCause({ alert, debt }: Owed): string | undefined {
    const cause = toldCause(alert, debt.channel);
    return cause === undefined || stillFires.has(cause) ? undefined : cause;
  }
}

/** The common cause that `channel` was told that the alert fires for, or is being told. */
export function toldCause(alert: Alert, channel: string): string | undefined {
  const onItsWay = Object.values(alert.owed).find(
    (debt) => debt.channel === channel && debt.transition === 'fired' && debt.cause !== undefined,
  );
  return onItsWay?.cause ?? openOn(alert, channel, 'recovered')?.cause;
}

/** The rules of one app and cadence whose counts can fall together. A segment's fall says nothing of the whole. */
export function countRules(rules: Rule[], like: Rule): Rule[] {
  const cadence = nameOfCadence(like);
  return rules.filter(
    (rule) => rule.app === like.app && isCount(rule) && !hasSegments(rule) && nameOfCadence(rule) === cadence,
  );
}

type Fall = Owed & { rule: Rule };

function isFall(owed: Owed): owed is Fall {
  const { debt, rule } = owed;
  const fell = debt.transition === 'fired' && (debt.evaluation?.difference ?? 0) < 0;
  return fell && rule !== undefined && isCount(rule);
}

/** Whether most of the rules that could tell of it do. */
function isCommon(falls: Fall[], rules: Rule[]): boolean {
  const [first] = falls;
  if (!first) return false;
  const judged = countRules(rules, first.rule).filter(({ quiet }) => !quiet);
  const fell = new Set(falls.flatMap(({ rule }) => (hasSegments(rule) ? [] : [rule.id])));
  return fell.size >= LEAST && fell.size > judged.length / 2;
}

/** Made once a rule: it may have thousands of segments. */
const cadenceNames = new WeakMap<Rule, string>();

function nameOfCadence(rule: Rule): string {
  const name = cadenceNames.get(rule) ?? cadenceName(rule.cadence);
  cadenceNames.set(rule, name);
  return name;
}

function isCount(rule: Rule): boolean {
  return !rule.members && metricOf(rule).kind === 'count';
}

function causeOfFall({ debt, rule }: Fall): string {
  const run = `${nameOfCadence(rule)} at ${new Date(debt.since).toISOString()}`;
  return `cause:${rule.app}#${run}`;
}

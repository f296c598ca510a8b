import { type Routes, routesAtAnyTime } from '../notifications/routes.ts';
import { meaningOf } from '../readings/series.ts';
import type { Bounds } from '../rules/bounds.ts';
import type { CompositeRule, FigureRule, Rule } from '../rules/rule.ts';
import { cadenceName } from '../time/cadence.ts';
import { aboutRule, type Finding } from './findings.ts';

/** Rules that repeat another one. */
export function twinFindings(rules: Rule[], routes: Routes): Finding[] {
  const figureRules = rules.filter((rule): rule is FigureRule => rule.members === undefined);
  const composites = rules.filter((rule): rule is CompositeRule => rule.members !== undefined);
  return [
    ...sameMeaning(rules),
    ...implied(figureRules),
    ...sameTitle(rules),
    ...notifiedTwice(composites, rules, routes),
  ];
}

/** Every rule with the key of an earlier one, each with the first that has it. */
function likeAnother<T extends Rule>(rules: T[], keyOf: (rule: T) => string): { rule: T; first: T }[] {
  return [...Map.groupBy(rules, keyOf).values()].flatMap(([first, ...others]) =>
    first ? others.map((rule) => ({ rule, first })) : [],
  );
}

function sameMeaning(rules: Rule[]): Finding[] {
  return likeAnother(rules, (rule) => meaningOf({ ...rule, id: '' })).flatMap(({ rule, first }) =>
    aboutRule(rule.id, [
      {
        code: 'rule-twice',
        path: ['id'],
        message: `"${first.id}" watches and evaluates the same figures in the same way; keep one of them, and give its route several channels`,
      },
    ]),
  );
}

/** Rules of the same severity that differ only in their bounds, where one fires whenever the other does. */
function implied(rules: FigureRule[]): Finding[] {
  const alike = Map.groupBy(rules, (rule) => {
    const { fire: _, recover: __, ...others } = rule;
    return [rule.severity, cadenceName(rule.cadence), meaningOf({ ...others, id: '' })].join(' ');
  });
  return [...alike.values()].flatMap((group) =>
    group.flatMap((rule) => {
      const wider = group.find((other) => other !== rule && isNarrower(rule.fire, other.fire));
      if (!wider) return [];
      const message = `whenever this rule fires, "${wider.id}" fires with the same severity; use another "severity", or keep one of them`;
      return aboutRule(rule.id, [{ code: 'rule-implied', path: ['fire'], message }]);
    }),
  );
}

/** Whether every figure that exceeds `a` exceeds `b`, but not the reverse. */
function isNarrower(a: Bounds | undefined, b: Bounds | undefined): boolean {
  return implies(a, b) && !implies(b, a);
}

function implies(a: Bounds | undefined, b: Bounds | undefined): boolean {
  if (!a || !b) return false;
  return (['change', 'difference', 'current'] as const).every((kind) => {
    const [own, other] = [a[kind], b[kind]];
    if (!other) return true;
    return (
      own !== undefined &&
      (own.above === undefined || own.above >= (other.above ?? Infinity)) &&
      (own.below === undefined || own.below <= (other.below ?? -Infinity))
    );
  });
}

function sameTitle(rules: Rule[]): Finding[] {
  return likeAnother(rules, ({ app, title }) => JSON.stringify([app, title.trim().toLowerCase()])).flatMap(
    ({ rule, first }) =>
      aboutRule(rule.id, [
        {
          code: 'title-twice',
          path: ['title'],
          message: `"${first.id}" has the same title; write titles that differ`,
        },
      ]),
  );
}

/** Rules with `any_of` that notify the same channel as their members. */
function notifiedTwice(composites: CompositeRule[], rules: Rule[], routes: Routes): Finding[] {
  return composites
    .filter(({ members, quiet }) => members.needs === 'any' && !quiet)
    .flatMap((rule) => {
      const channelsOf = (each: Rule) => routesAtAnyTime(each, routes).flatMap(({ channels }) => channels);
      const channels = channelsOf(rule);
      const loud = rules.filter(
        (member) =>
          rule.members.ruleIds.includes(member.id) &&
          !member.quiet &&
          channelsOf(member).some((channel) => channels.includes(channel)),
      );
      if (loud.length === 0) return [];
      const names = loud.map(({ id }) => id).join(' and ');
      const message = `${names} ${loud.length === 1 ? 'notifies' : 'notify'} the same channel as this rule; add "quiet: true" there`;
      return aboutRule(rule.id, [{ code: 'notified-twice', path: ['any_of'], message }]);
    });
}

import { type Routes, routeFor } from '../notifications/routes.ts';
import { meaningOf } from '../readings/series.ts';
import type { Bounds } from '../rules/bounds.ts';
import type { CompositeRule, FigureRule, Rule } from '../rules/rule.ts';
import { cadenceName } from '../time/cadence.ts';
import { aboutRule, type Finding } from './findings.ts';

/** Rules that say what another one says already. */
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

/** Each with the first rule that it is like. */
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
        message: `"${first.id}" watches the same figures and judges them the same way; keep one of them, and let routes tell several people`,
      },
    ]),
  );
}

/** Rules that differ in their bounds alone, of which one fires whenever the other does, and as gravely. */
function implied(rules: FigureRule[]): Finding[] {
  const alike = Map.groupBy(rules, (rule) => {
    const { fire: _, recover: __, ...others } = rule;
    return [rule.severity, cadenceName(rule.cadence), meaningOf({ ...others, id: '' })].join(' ');
  });
  return [...alike.values()].flatMap((group) =>
    group.flatMap((rule) => {
      const wider = group.find((other) => other !== rule && isNarrower(rule.fire, other.fire));
      if (!wider) return [];
      const message = `whenever it fires, so does "${wider.id}", which is as grave and asks for less; give it another "severity", or keep one of them`;
      return aboutRule(rule.id, [{ code: 'rule-implied', path: ['fire'], message }]);
    }),
  );
}

/** Whether all that is beyond `a` is beyond `b`, and not the other way round. */
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
          message: `"${first.id}" has the same title, which is what people read first; say how they differ`,
        },
      ]),
  );
}

/** A rule over any of several fires when one of them does, which tells it too, in the same place. */
function notifiedTwice(composites: CompositeRule[], rules: Rule[], routes: Routes): Finding[] {
  return composites
    .filter(({ members, quiet }) => members.needs === 'any' && !quiet)
    .flatMap((rule) => {
      const { channels } = routeFor(rule, routes);
      const loud = rules.filter(
        (member) =>
          rule.members.ruleIds.includes(member.id) &&
          !member.quiet &&
          routeFor(member, routes).channels.some((channel) => channels.includes(channel)),
      );
      if (loud.length === 0) return [];
      const names = loud.map(({ id }) => id).join(' and ');
      const message = `${names} ${loud.length === 1 ? 'tells' : 'tell'} the same channel when this does; write "quiet: true" there`;
      return aboutRule(rule.id, [{ code: 'told-twice', path: ['any_of'], message }]);
    });
}

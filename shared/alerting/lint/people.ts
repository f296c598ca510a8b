import { distance } from 'fastest-levenshtein';
import type { Rule } from '../rules/rule.ts';
import { aboutRule, type Finding, type Remark } from './findings.ts';

const NOBODY = /^(nobody|none|no-?one|n\/?a|to-?do|tbd|unknown|owner|team|someone|anyone|x+|-+|\?+|\.+)$/i;
/** Letters by which two names differ that were hardly meant to; of short names any may be meant. */
const [SLIP, LEAST_LETTERS, LEAST_OF_A_WORD] = [2, 6, 4];

/** Who answers for rules, and whether they would know what to do. */
export function peopleFindings(rules: Rule[]): Finding[] {
  const counts = new Map(
    [...Map.groupBy(rules, ({ owner }) => owner)].map(([owner, of]) => [owner, of.length]),
  );
  return rules.flatMap((rule) =>
    aboutRule(rule.id, [...ownerRemarks(rule, counts), ...graveRemarks(rule), ...quietRemarks(rule, rules)]),
  );
}

function ownerRemarks({ owner }: Rule, counts: ReadonlyMap<string, number>): Remark[] {
  if (NOBODY.test(owner.trim()))
    return [
      {
        code: 'owner-nobody',
        path: ['owner'],
        message: `"${owner}" is nobody: name the team that answers for the rule, and that routes can match`,
      },
    ];
  const own = counts.get(owner) ?? 0;
  const meant = [...counts].find(
    ([other, count]) =>
      other !== owner && own === 1 && count > own && owner.length >= LEAST_LETTERS && isSlip(owner, other),
  );
  if (!meant) return [];
  const [other, count] = meant;
  return [
    {
      code: 'owner-misspelt',
      path: ['owner'],
      message: `nobody else's owner is "${owner}", and ${count} rules have "${other}"; is it the same team?`,
    },
  ];
}

/** A digit tells teams apart: "team-1" is no "team-2" misspelt; nor is a short word another one, as in "team-eu". */
function isSlip(a: string, b: string): boolean {
  const letters = (text: string) => text.replaceAll(/\d/g, '');
  const [words, others] = [a, b].map((text) => text.split(/[^\p{L}\p{N}]+/u));
  const isOtherWord = (word: string, i: number) =>
    word !== others?.[i] && Math.min(word.length, others?.[i]?.length ?? 0) < LEAST_OF_A_WORD;
  if (words?.length === others?.length && words?.some(isOtherWord)) return false;
  return distance(a, b) <= SLIP && (letters(a) !== letters(b) || a === b);
}

function graveRemarks({ severity, runbook, quiet }: Rule): Remark[] {
  if (severity !== 'critical') return [];
  if (quiet)
    return [
      {
        code: 'critical-quiet',
        path: ['quiet'],
        message:
          'a critical rule that is never announced wakes nobody; leave "quiet" out, or lower "severity"',
      },
    ];
  if (runbook !== undefined) return [];
  return [
    {
      code: 'runbook-missing',
      path: ['severity'],
      message:
        'whoever is called by a critical alert should read what to do first: say it in "runbook", as a link or a sentence',
    },
  ];
}

function quietRemarks({ id, quiet, severity }: Rule, rules: Rule[]): Remark[] {
  if (!quiet || severity === 'critical' || rules.some(({ members }) => members?.ruleIds.includes(id)))
    return [];
  return [
    {
      code: 'quiet-unused',
      path: ['quiet'],
      message:
        'it is never announced, and no rule names it in "all_of" or "any_of"; leave "quiet" out, or take the rule away',
    },
  ];
}

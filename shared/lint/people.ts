import { distance } from 'fastest-levenshtein';
import type { Rule } from '../rules/rule.ts';
import { aboutRule, type Finding, type Remark } from './findings.ts';

const PLACEHOLDER =
  /^(nobody|none|no-?one|n\/?a|to-?do|tbd|unknown|owner|team|someone|anyone|x+|-+|\?+|\.+)$/i;
/** The most letters by which a misspelt name differs. Shorter names and words are never taken for misspelt. */
const [SLIP, LEAST_LETTERS, LEAST_OF_A_WORD] = [2, 6, 4];

/** Findings about owners, runbooks and quiet rules. */
export function peopleFindings(rules: Rule[]): Finding[] {
  const counts = new Map(
    [...Map.groupBy(rules, ({ owner }) => owner)].map(([owner, of]) => [owner, of.length]),
  );
  return rules.flatMap((rule) =>
    aboutRule(rule.id, [
      ...ownerRemarks(rule, counts),
      ...criticalRemarks(rule),
      ...quietRemarks(rule, rules),
    ]),
  );
}

function ownerRemarks({ owner }: Rule, counts: ReadonlyMap<string, number>): Remark[] {
  if (PLACEHOLDER.test(owner.trim()))
    return [
      {
        code: 'owner-placeholder',
        path: ['owner'],
        message: `"${owner}" is a placeholder; name the team that is responsible for the rule`,
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
      message: `no other rule has the owner "${owner}", and ${count} rules have "${other}"; did you mean that team?`,
    },
  ];
}

/** Names that differ in a digit ("team-1", "team-2") or in a short word ("team-eu", "team-us") are different teams. */
function isSlip(a: string, b: string): boolean {
  const letters = (text: string) => text.replaceAll(/\d/g, '');
  const [words, others] = [a, b].map((text) => text.split(/[^\p{L}\p{N}]+/u));
  const isOtherWord = (word: string, i: number) =>
    word !== others?.[i] && Math.min(word.length, others?.[i]?.length ?? 0) < LEAST_OF_A_WORD;
  if (words?.length === others?.length && words?.some(isOtherWord)) return false;
  return distance(a, b) <= SLIP && (letters(a) !== letters(b) || a === b);
}

function criticalRemarks({ severity, runbook, quiet }: Rule): Remark[] {
  if (severity !== 'critical') return [];
  if (quiet)
    return [
      {
        code: 'critical-quiet',
        path: ['quiet'],
        message: 'a critical rule with "quiet" sends no messages; remove "quiet" or lower "severity"',
      },
    ];
  if (runbook !== undefined) return [];
  return [
    {
      code: 'runbook-missing',
      path: ['severity'],
      message: 'a critical alert should say what to do; add a "runbook" with a link or a sentence',
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
      message: 'the rule sends no messages, and no "all_of" or "any_of" names it; remove "quiet" or the rule',
    },
  ];
}

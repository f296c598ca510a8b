import type { AlertStore } from '../shared/alerts/alert-store.ts';
import { appAlertKey } from '../shared/alerts/app-alert.ts';
import { type Match, type Matched, matchedOf, matches } from '../shared/notifications/silences.ts';
import type { Rule } from '../shared/rules/rule.ts';
import { didYouMean } from '../shared/text/nearest-words.ts';

/** Maximum number of known values in an error without a similar value. */
const NAMED = 8;

/** Why no alert of any segment can match; `undefined` if one can, or if there are no rules. */
export function silenceFault({ segment: _, ...match }: Match, rules: Rule[]): string | undefined {
  const subjects = subjectsOf(rules);
  if (subjects.length === 0 || subjects.some((each) => matches(match, each))) return undefined;
  for (const key of ['app', 'rule', 'owner', 'severity'] as const) {
    const pattern = match[key];
    if (typeof pattern !== 'string' || subjects.some((each) => matches({ [key]: pattern }, each))) continue;
    const known = [...new Set(subjects.flatMap((each) => each[key] ?? []))];
    const named = known.slice(0, NAMED).join(', ');
    const more = known.length > NAMED ? ` and ${known.length - NAMED} more` : '';
    return `no deployed rule has ${key}=${pattern}${didYouMean(pattern, known) || `; known: ${named}${more}`}`;
  }
  return 'no deployed rule matches all of these patterns';
}

/** A note if no segment that was evaluated so far matches; `undefined` if one does. */
export async function segmentNote(
  match: Match,
  rules: Rule[],
  alerts: Pick<AlertStore, 'loadOfRule'>,
): Promise<string | undefined> {
  const { segment, ...others } = match;
  if (typeof segment !== 'string') return undefined;
  const selected = rules.filter((rule) => matches(others, matchedOf({ alert: wholeOf(rule), rule })));
  const known = new Set<string>();
  for (const rule of selected)
    for (const alert of await alerts.loadOfRule(rule.id)) {
      if (alert.segment === null) continue;
      if (matches(match, matchedOf({ alert, rule }))) return undefined;
      known.add(alert.segment);
    }
  const near = didYouMean(segment, [...known]);
  return `no segment so far matches segment=${segment}${near}`;
}

/** The alerts of all rules, without segments, and of their apps, for missing data. */
function subjectsOf(rules: Rule[]): Matched[] {
  const apps = [...new Set(rules.map(({ app }) => app))];
  return [
    ...rules.map((rule) => matchedOf({ alert: wholeOf(rule), rule })),
    ...apps.map((app) => matchedOf({ alert: appAlertKey(app), rule: undefined })),
  ];
}

function wholeOf({ id }: Rule) {
  return { ruleId: id, segment: null };
}

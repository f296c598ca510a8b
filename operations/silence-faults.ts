import type { AlertStore } from '../shared/alerting/alerts/alert-store.ts';
import { appAlertKey } from '../shared/alerting/alerts/app-alert.ts';
import { type Match, type Matched, matchedOf, matches } from '../shared/alerting/notifications/silences.ts';
import type { Rule } from '../shared/alerting/rules/rule.ts';
import { didYouMean } from '../shared/alerting/text/nearest-words.ts';

/** Listed values where none is similar. */
const NAMED = 8;

/** Why no alert of the rules can match, whatever its segment; `undefined` where one can, and without rules. */
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

/** A sentence where no evaluated segment matches; a future one may. */
export async function segmentNote(
  match: Match,
  rules: Rule[],
  alerts: Pick<AlertStore, 'loadOfRule'>,
): Promise<string | undefined> {
  const { segment, ...others } = match;
  if (typeof segment !== 'string') return undefined;
  const meant = rules.filter((rule) => matches(others, matchedOf({ alert: wholeOf(rule), rule })));
  const known = new Set<string>();
  for (const rule of meant)
    for (const alert of await alerts.loadOfRule(rule.id)) {
      if (alert.segment === null) continue;
      if (matches(match, matchedOf({ alert, rule }))) return undefined;
      known.add(alert.segment);
    }
  const near = didYouMean(segment, [...known]);
  return `no segment so far matches segment=${segment}${near}`;
}

/** Alerts of whole rules, and of apps that send no data. */
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

import { aboutRule, type Finding } from '../../shared/lint/findings.ts';
import { aWindow } from '../../shared/lint/timing.ts';
import { figure } from '../../shared/messages/figure-text.ts';
import type { MetricSource } from '../../shared/readings/metric-source.ts';
import type { FigureRule, Rule } from '../../shared/rules/rule.ts';
import type { Grain } from '../../shared/time/window.ts';
import { DAYS, knownValues, MOST_VALUES, type Seen, type ValuesOf } from './known-values.ts';
import { missingWords } from './mismatch-causes.ts';
import { silentApps } from './silent-apps.ts';
import { unmatchedRules } from './unmatched-rules.ts';
import { countedEvent, type ValuesAsked, valuesAsked } from './wanted-values.ts';

const WINDOWS: Record<Grain, number> = { hour: DAYS * 24, day: DAYS, week: DAYS / 7, month: DAYS / 30 };

/**
 * What the service's data reveals about rules: rules that match nothing, unknown names, too many segments, and
 * figures below the minimum.
 */
export async function liveFindings(
  rules: Rule[],
  { sourceFor, now }: { sourceFor: (app: string) => MetricSource; now: number },
): Promise<Finding[]> {
  const figures = rules.filter((rule): rule is FigureRule => rule.members === undefined);
  const silent = await silentApps(figures, { sourceFor, now });
  const answered = figures.filter(({ app }) => !silent.apps.has(app));
  const valuesOf = knownValues(sourceFor, now);
  const findings: Finding[] = [];
  // Sequential, because the service limits concurrent requests.
  for (const each of valuesAsked(answered)) findings.push(...(await findingsOf(each, valuesOf)));
  const unmatched = await unmatchedRules(answered, { sourceFor, valuesOf, now });
  const said = new Set(unmatched.map(placeOf));
  return [...silent.findings, ...unmatched, ...findings.filter((each) => !said.has(placeOf(each)))];
}

/** One finding per unknown name and place. */
function placeOf(finding: Finding): string {
  return JSON.stringify([finding.of === 'rule' && finding.ruleId, finding.code, finding.path]);
}

async function findingsOf(asked: ValuesAsked, valuesOf: ValuesOf): Promise<Finding[]> {
  const { app, attribute, named, grouped } = asked;
  const zone = [...named.map(({ rule }) => rule), ...grouped][0]?.zone ?? 'UTC';
  const seen = await valuesOf({ app, attribute, zone });
  if (seen.kind === 'unread') return [unread(asked, seen.reason)];
  return [...unseen(asked, seen), ...tooMany(asked, seen), ...tooFew(asked, seen)];
}

function unread({ app, attribute, named, grouped }: ValuesAsked, reason: string): Finding {
  const [first] = [...named.map(({ rule }) => rule), ...grouped];
  const message = `the ${attribute} values of ${app} cannot be read, so they are not checked: ${reason}`;
  return { of: 'rule', ruleId: first?.id ?? '', code: 'live-unread', path: ['app'], message };
}

function unseen({ app, attribute, named }: ValuesAsked, seen: Seen): Finding[] {
  if (!seen.isWhole) return [];
  return named
    .filter(({ value }) => !seen.counts.has(value))
    .flatMap(({ rule, path, value }) =>
      aboutRule(rule.id, [
        {
          code: attribute === 'event_name' ? 'live-event-unseen' : 'live-value-unseen',
          path,
          message: `in the last ${DAYS} days ${missingWords(app, { attribute, value }, seen)}`,
        },
      ]),
    );
}

function tooMany({ attribute, grouped }: ValuesAsked, { counts, isWhole }: Seen): Finding[] {
  return grouped
    .filter(({ max_segments }) => counts.size > max_segments)
    .flatMap(({ id, max_segments }) =>
      aboutRule(id, [
        {
          code: 'live-many-segments',
          path: ['group_by'],
          message: `${attribute} has ${isWhole ? counts.size : `more than ${MOST_VALUES}`} values in ${DAYS} days: the ${max_segments} largest are watched one by one, all others as one segment`,
        },
      ]),
    );
}

function tooFew({ attribute, named }: ValuesAsked, { counts }: Seen): Finding[] {
  if (attribute !== 'event_name') return [];
  return named.flatMap(({ rule, value }) => {
    const count = counts.get(value) ?? 0;
    const usual = count / WINDOWS[rule.window];
    const least = Math.max(rule.minimum.current, rule.minimum.baseline);
    if (countedEvent(rule) !== value || count === 0 || usual >= least) return [];
    return aboutRule(rule.id, [
      {
        code: 'live-few-figures',
        path: ['minimum'],
        message: `${value} occurs about ${figure(usual)} times ${aWindow(rule.window)}, but "minimum" is ${least}: most windows are too small to evaluate; lower it, or use longer windows`,
      },
    ]);
  });
}

import { aboutRule, type Finding } from '../../shared/alerting/lint/findings.ts';
import { aWindow } from '../../shared/alerting/lint/timing.ts';
import { didYouMean } from '../../shared/alerting/nearest-words.ts';
import type { MetricSource } from '../../shared/alerting/ports.ts';
import type { FigureRule, Rule } from '../../shared/alerting/rule.ts';
import { type Grain, lastClosedWindow, windowsBack } from '../../shared/alerting/window.ts';
import { figure } from '../../shared/alerting/wording.ts';
import { countedEvent, type ValuesAsked, valuesAsked } from './wanted-values.ts';

/** As far back as an event must have come to be known. */
const DAYS = 28;
/** The most that the service parts by. */
const MOST_VALUES = 1000;
const WINDOWS: Record<Grain, number> = { hour: DAYS * 24, day: DAYS, week: DAYS / 7, month: DAYS / 30 };

/** What the service tells of rules: names that never come, segments that are too many, figures that are too small. */
export async function liveFindings(
  rules: Rule[],
  { sourceFor, now }: { sourceFor: (app: string) => MetricSource; now: number },
): Promise<Finding[]> {
  const asked = valuesAsked(rules.filter((rule): rule is FigureRule => rule.members === undefined));
  const findings: Finding[] = [];
  // One after the other: the service allows few requests at once, and says so by refusing.
  for (const each of asked) findings.push(...(await findingsOf(each, sourceFor(each.app), now)));
  return findings;
}

async function findingsOf(asked: ValuesAsked, source: MetricSource, now: number): Promise<Finding[]> {
  const seen = await readValues(asked, source, now);
  if (seen.kind === 'unread') return [unread(asked, seen.reason)];
  return [...unseen(asked, seen), ...tooMany(asked, seen), ...tooFew(asked, seen)];
}

/** How often each value came; `isWhole`: they are all that there are. */
interface Seen {
  kind: 'seen';
  counts: Map<string, number>;
  isWhole: boolean;
}

async function readValues(
  { app, endpoint, attribute, named, grouped }: ValuesAsked,
  source: MetricSource,
  now: number,
): Promise<Seen | { kind: 'unread'; reason: string }> {
  const zone = [...named.map(({ rule }) => rule), ...grouped][0]?.zone ?? 'UTC';
  const daily = { grain: 'day', zone } as const;
  const { endAt } = lastClosedWindow(now, daily);
  const { startAt } = windowsBack({ startAt: endAt, endAt }, DAYS, daily);
  const before = windowsBack({ startAt, endAt: startAt }, DAYS, daily);
  const key = `${endpoint}_count`;
  const result = await source.read({
    app,
    endpoint,
    calendar: daily,
    filters: [],
    segmentBy: { attribute, max_group_number: MOST_VALUES },
    aggregations: [{ attribute: key }],
    window: { startAt, endAt },
    previous: { startAt: before.startAt, endAt: startAt },
  });
  if (result.kind !== 'read') return { kind: 'unread', reason: result.reason };
  const counts = new Map<string, number>();
  for (const { segment, isRest, current } of result.value)
    if (segment !== undefined && !isRest) counts.set(segment, current?.[key] ?? 0);
  return { kind: 'seen', counts, isWhole: !result.value.some(({ isRest }) => isRest) };
}

function unread({ app, attribute, named, grouped }: ValuesAsked, reason: string): Finding {
  const [first] = [...named.map(({ rule }) => rule), ...grouped];
  const message = `the ${attribute} values of ${app} cannot be read, so nothing is known of them: ${reason}`;
  return { of: 'rule', ruleId: first?.id ?? '', code: 'live-unread', path: ['app'], message };
}

function unseen({ app, attribute, named }: ValuesAsked, { counts, isWhole }: Seen): Finding[] {
  if (!isWhole) return [];
  const known = [...counts].filter(([, count]) => count > 0).map(([value]) => value);
  return named
    .filter(({ value }) => !known.includes(value))
    .flatMap(({ rule, path, value }) => {
      const meant = didYouMean(value, known) || `; it has ${listed(known)}`;
      return aboutRule(rule.id, [
        attribute === 'event_name'
          ? {
              code: 'live-event-unseen',
              path,
              message: `${app} has sent no event "${value}" in the last ${DAYS} days${meant}`,
            }
          : {
              code: 'live-value-unseen',
              path,
              message: `${app} has had no ${attribute} "${value}" in the last ${DAYS} days${meant}`,
            },
      ]);
    });
}

const LISTED = 8;

function listed(known: string[]): string {
  if (known.length === 0) return 'none at all';
  const more = known.length - LISTED;
  return `${known.slice(0, LISTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function tooMany({ attribute, grouped }: ValuesAsked, { counts, isWhole }: Seen): Finding[] {
  return grouped
    .filter(({ max_segments }) => counts.size > max_segments)
    .flatMap(({ id, max_segments }) =>
      aboutRule(id, [
        {
          code: 'live-many-segments',
          path: ['group_by'],
          message: `${attribute} has ${isWhole ? counts.size : `more than ${MOST_VALUES}`} values in ${DAYS} days: the ${max_segments} largest are watched by themselves, the rest as one`,
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
        message: `about ${figure(usual)} ${value} come in ${aWindow(rule.window)}, and "minimum" asks for ${least}: most windows are too small to be judged; ask for less, or judge longer windows`,
      },
    ]);
  });
}

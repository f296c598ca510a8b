import type { AttributeName } from '../../shared/contract/attributes.ts';
import { aboutRule, type Finding } from '../../shared/lint/findings.ts';
import type { MetricSource, ReadResult } from '../../shared/readings/metric-source.ts';
import type { Reading, ReadingRow } from '../../shared/readings/reading.ts';
import { readingOf } from '../../shared/readings/row-reading.ts';
import { questionFor, seriesOf } from '../../shared/readings/series.ts';
import { rowMetricOf } from '../../shared/rules/metric.ts';
import { eventRatioOf, stepsOf } from '../../shared/rules/ratio.ts';
import type { FigureRule, Rule } from '../../shared/rules/rule.ts';
import { metricOf } from '../../shared/rules/watched-metric.ts';
import { dateAt } from '../../shared/time/window.ts';
import { type Asking, DAYS, lastDays, seenBy } from './known-values.ts';
import { type Cause, causeOf, missingName } from './mismatch-causes.ts';

interface LiveAsking extends Asking {
  sourceFor: (app: string) => MetricSource;
}

/** What the data of the service reveals about rules: apps without data, and rules that match nothing. */
export async function liveFindings(rules: Rule[], asking: LiveAsking): Promise<Finding[]> {
  const figures = rules.filter((rule): rule is FigureRule => rule.members === undefined);
  const silent = await silentApps(figures, asking);
  const answered = figures.filter(({ app }) => !silent.apps.has(app));
  return [...silent.findings, ...(await unmatchedRules(answered, asking))];
}

/** Apps without data in the last days. Their rules are not checked: the data would prove nothing. */
async function silentApps(rules: FigureRule[], { sourceFor, now }: LiveAsking) {
  const apps = new Set<string>();
  const findings: Finding[] = [];
  for (const [app, [first]] of Map.groupBy(rules, (rule) => rule.app)) {
    if (!first) continue;
    const { startAt } = lastDays(now, first.zone).window;
    const newest = await sourceFor(app).readNewestEventAt(app, startAt);
    if (newest.kind !== 'read' || (newest.value ?? -Infinity) >= startAt) continue;
    apps.add(app);
    const since = dateAt(startAt, first.zone);
    const message = `${app} has sent nothing since ${since}, so its rules are not checked`;
    findings.push(...aboutRule(first.id, [{ code: 'live-unread', path: ['app'], message }]));
  }
  return { apps, findings };
}

/**
 * Rules without a value in the last days, each with the probable intended name. One query covers rules that
 * differ only in event and metric. Rules with an unknown name need no query.
 */
async function unmatchedRules(rules: FigureRule[], asking: Asking): Promise<Finding[]> {
  const seen = seenBy(asking);
  const seenOf =
    ({ app, zone }: FigureRule) =>
    (attribute: AttributeName) =>
      seen(app, attribute, zone);
  const found: Finding[] = [];
  const open: FigureRule[] = [];
  // Sequential, because the service limits concurrent requests.
  for (const rule of rules) {
    const cause = await missingName(rule, seenOf(rule));
    if (cause) found.push(...findingOf(rule, cause, asking.now));
    else open.push(rule);
  }
  // One query covers rules of all windows.
  const families = [...Map.groupBy(open, (rule) => seriesOf({ ...rule, window: 'day' }).family).values()];
  for (let family = families.shift(); family; family = families.shift()) {
    const rows = await readFamily(family, asking);
    if (rows.kind === 'failed' && rows.isRefusal && family.length > 1) {
      // The service may refuse only one of them.
      families.unshift(...family.map((rule) => [rule]));
      continue;
    }
    if (rows.kind !== 'read') {
      found.push(...unread(family, rows.reason));
      // The remaining calls are for rules.
      if (rows.kind === 'budget-spent') break;
      continue;
    }
    for (const rule of family.filter((each) => !hasValueIn(rows.value, each)))
      found.push(...findingOf(rule, await causeOf(rule, seenOf(rule)), asking.now));
  }
  return found;
}

function findingOf(rule: FigureRule, { path, words }: Cause, now: number): Finding[] {
  const since = dateAt(lastDays(now, rule.zone).window.startAt, rule.zone);
  const message = `has matched nothing since ${since}: ${words}`;
  return aboutRule(rule.id, [{ code: 'live-matches-nothing', path, message }]);
}

function unread(family: FigureRule[], reason: string): Finding[] {
  const [first, ...others] = family;
  if (!first) return [];
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  const message = `whether ${first.id}${more} had a value in the last ${DAYS} days cannot be read: ${reason}`;
  return aboutRule(first.id, [{ code: 'live-unread', path: ['metric'], message }]);
}

async function readFamily(
  family: FigureRule[],
  { sourceFor, now }: Asking,
): Promise<ReadResult<ReadingRow[]>> {
  const [first] = family;
  if (!first) return { kind: 'read', value: [] };
  const { app, zone } = first;
  const calendar = { grain: 'day', zone } as const;
  const { window, previous } = lastDays(now, zone);
  return sourceFor(app).read({ ...questionFor(family, window), calendar, previous });
}

function isValue({ value }: Reading): boolean {
  return value !== null && value > 0;
}

/** Whether the rule had a value: a mean, or a figure above 0, of a named segment. */
function hasValueIn(rows: ReadingRow[], rule: FigureRule): boolean {
  const metric = metricOf(rule);
  const own = rows.filter(({ segment }) => rule.group_by === undefined || segment !== '');
  // Zero is a value of a mean and of a property, so their weight counts.
  const { key } = 'weight' in metric ? metric.weight : metric;
  const isSeen = (eventName?: string) =>
    own.some(
      ({ current, ...row }) =>
        (eventName === undefined || row.eventName === eventName) && (current?.[key] ?? 0) > 0,
    );
  const { ratio, funnel } = rule;
  const events = eventRatioOf(ratio);
  if (events) return isSeen(events.of) && isSeen(events.to);
  const row = rowMetricOf(metric);
  if ('computed' in row) return own.some(({ current }) => current && isValue(readingOf(row, [current])));
  if (funnel) return stepsOf(funnel).some(({ of, to }) => isSeen(of) && isSeen(to));
  const [eventName] = seriesOf(rule).eventNames;
  return isSeen(eventName);
}

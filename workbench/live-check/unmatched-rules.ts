import { aboutRule, type Finding } from '../../shared/lint/findings.ts';
import type { MetricSource, ReadResult } from '../../shared/readings/metric-source.ts';
import type { Reading, ReadingRow } from '../../shared/readings/reading.ts';
import { readingOf } from '../../shared/readings/row-reading.ts';
import { questionFor, seriesOf } from '../../shared/readings/series.ts';
import { type Metric, rowMetricOf } from '../../shared/rules/metric.ts';
import { eventRatioOf, stepsOf } from '../../shared/rules/ratio.ts';
import type { FigureRule } from '../../shared/rules/rule.ts';
import { metricOf } from '../../shared/rules/watched-metric.ts';
import { dateAt, windowsBack } from '../../shared/time/window.ts';
import { DAYS, knownValues, lastDays, type Values, type ValuesOf } from './known-values.ts';
import { type Cause, causeOf, distinguishing, missingName, type ValuesBy } from './mismatch-causes.ts';

interface Asking {
  sourceFor: (app: string) => Pick<MetricSource, 'read'>;
  now: number;
}

/**
 * Rules without a value in the last days, each with the probable intended name. One query covers rules that
 * differ only in event and metric. Rules with an unknown name need no query.
 */
export async function unmatchedRules(rules: FigureRule[], asking: Asking): Promise<Finding[]> {
  const valuesOf = knownValues(asking.sourceFor, asking.now);
  const found: Finding[] = [];
  const open: FigureRule[] = [];
  // Sequential, because the service limits concurrent requests.
  for (const rule of rules) {
    const cause = missingName(rule, await valuesFor(rule, valuesOf));
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
      found.push(...findingOf(rule, causeOf(rule, await valuesFor(rule, valuesOf)), asking.now));
  }
  return found;
}

/** What is known about every name in the rule. */
async function valuesFor(rule: FigureRule, valuesOf: ValuesOf): Promise<ValuesBy> {
  const { app, zone } = rule;
  const values = new Map<string, Values>();
  for (const attribute of distinguishing(rule))
    values.set(attribute, await valuesOf({ app, attribute, zone }));
  return (attribute) => values.get(attribute);
}

function findingOf(rule: FigureRule, { code, path, words }: Cause, now: number): Finding[] {
  const since = dateAt(lastDays(now, rule.zone).startAt, rule.zone);
  return aboutRule(rule.id, [{ code, path, message: `has matched nothing since ${since}: ${words}` }]);
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
  const window = lastDays(now, zone);
  const previous = windowsBack({ startAt: window.startAt, endAt: window.startAt }, DAYS, calendar);
  return sourceFor(app).read({
    ...questionFor(family, window),
    calendar,
    previous: { startAt: previous.startAt, endAt: window.startAt },
  });
}

/** Zero is a value of a mean and of a property. */
function isOfValues({ kind }: Metric): boolean {
  return kind !== 'count' && kind !== 'ratio';
}

function isValue({ value }: Reading): boolean {
  return value !== null && value > 0;
}

/** Whether the rule had a value: a mean, or a figure above 0, of a named segment. */
function hasValueIn(rows: ReadingRow[], rule: FigureRule): boolean {
  const metric = metricOf(rule);
  const own = rows.filter(({ segment }) => rule.group_by === undefined || segment !== '');
  const isSeen = (eventName?: string) =>
    own.some(({ current, ...row }) => {
      const value = current?.[metric.key];
      const isOfEvent = eventName === undefined || row.eventName === eventName;
      return isOfEvent && value != null && (isOfValues(metric) || value > 0);
    });
  const { ratio, funnel } = rule;
  const events = eventRatioOf(ratio);
  if (events) return isSeen(events.of) && isSeen(events.to);
  const row = rowMetricOf(metric);
  if ('computed' in row) return own.some(({ current }) => current && isValue(readingOf(row, [current])));
  if (funnel) return stepsOf(funnel).some(({ of, to }) => isSeen(of) && isSeen(to));
  const [eventName] = seriesOf(rule).eventNames;
  return isSeen(eventName);
}

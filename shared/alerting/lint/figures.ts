import type { AttributeName } from '../../analytics/attributes.ts';
import { type Filter, PLATFORMS } from '../../analytics/filters.ts';
import { metricOf } from '../rules/metrics.ts';
import { type FigureRule, hasSegments, type Rule } from '../rules/rule.ts';
import type { Remark } from './findings.ts';

/** Attributes of which there is a new value for nearly each person, device or visit. */
const ENDLESS: Partial<Record<AttributeName, string>> = {
  session_id: 'session',
  device_id: 'device',
  svcuserid: 'user',
  user_name: 'user',
  referer: 'address',
  user_first_referer: 'address',
};

/** What is asked of the service: the filters, the segments, and how small the figures may be. */
export function figureRemarks(rule: FigureRule): Remark[] {
  return [...segmentRemarks(rule), ...filterRemarks(rule), ...minimumRemarks(rule)];
}

function segmentRemarks({ group_by, filters }: FigureRule): Remark[] {
  if (group_by === undefined) return [];
  const path = ['group_by'];
  const each = ENDLESS[group_by];
  if (each !== undefined)
    return [
      {
        code: 'segments-endless',
        path,
        message: `${group_by} has a value for each ${each}: no segment lasts long enough to be held against its past, and the ${each}s beyond the first hundred are one; group by what has few values, such as device_platform or app_version`,
      },
    ];
  const only = filters.find(({ attribute, operator }) => attribute === group_by && operator === 'equal');
  if (!only) return [];
  const message = `the filters let one ${group_by} through (${String(only.value)}), so there is one segment; leave "group_by" out, or the filter`;
  return [{ code: 'segments-one', path, message }];
}

/** Filters of which each leaves out what another one asks for. */
function filterRemarks({ filters }: FigureRule): Remark[] {
  const byTarget = Map.groupBy(
    filters.map((filter, i) => ({ filter, i })),
    ({ filter }) => `${filter.attribute} ${filter.property_name ?? ''}`,
  );
  return [...byTarget.values()].flatMap((alike): Remark[] => {
    const wanted = alike.flatMap(({ filter }) => valuesWanted(filter) ?? []);
    const isLeft = (value: string) => alike.every(({ filter }) => letsThrough(filter, value));
    const last = alike.at(-1);
    if (!last || wanted.length === 0 || wanted.some(isLeft)) return [];
    return [
      {
        code: 'filters-exclude-all',
        path: ['filters', last.i],
        message: `no ${last.filter.attribute} passes all of the filters on it; where one of several values will do, write { operator: in, value: [${[...new Set(wanted)].join(', ')}] }`,
      },
    ];
  });
}

function valuesWanted({ attribute, operator, value }: Filter): string[] | undefined {
  const nameOf = namingOf(attribute);
  if (operator === 'equal') return [nameOf(value)];
  return operator === 'in' ? value.map(nameOf) : undefined;
}

function letsThrough({ attribute, operator, value }: Filter, wanted: string): boolean {
  const nameOf = namingOf(attribute);
  switch (operator) {
    case 'equal':
      return nameOf(value) === wanted;
    case 'not_equal':
      return nameOf(value) !== wanted;
    case 'in':
      return value.map(nameOf).includes(wanted);
    case 'not_in':
      return !value.map(nameOf).includes(wanted);
    default:
      return true;
  }
}

/** Platforms go by a name or a number. */
function namingOf(attribute: Filter['attribute']): (value: string | number | boolean) => string {
  if (attribute !== 'device_platform') return String;
  return (value) => PLATFORMS[Number(value) - 1] ?? String(value);
}

/** A percentage of next to nothing is large. */
function minimumRemarks(rule: FigureRule): Remark[] {
  const { fire, minimum } = rule;
  const isSmall = metricOf(rule).kind === 'count' && (rule.filters.length > 0 || rule.window === 'hour');
  const isPercentage = fire?.change !== undefined && !fire.current && !fire.difference;
  if (!isSmall || !isPercentage || minimum.current + minimum.baseline + minimum.difference > 0) return [];
  return [
    {
      code: 'minimum-missing',
      path: ['fire', 'change'],
      message:
        'of 3 one more is +33 %: say with "minimum: { baseline: … }" how large the figure must be for its change to count',
    },
  ];
}

/** Keys of its own that a rule has no use for, as its other keys are. */
export function idleKeyRemarks(rule: Rule, keys: ReadonlySet<string>): Remark[] {
  return idleKeys(rule)
    .filter(({ key }) => keys.has(key))
    .map(({ key, why }) => ({
      code: 'key-idle',
      path: [key],
      message: `"${key}" does nothing here: ${why}; leave it out`,
    }));
}

function idleKeys(rule: Rule): { key: string; why: string }[] {
  if (rule.members)
    return ['confidence', 'false_discovery', 'max_segments', 'restate_for'].map((key) => ({
      key,
      why: 'a rule over rules has no figures of its own',
    }));
  const isSeasonal = rule.baseline.to === 'seasonal';
  const isCount = metricOf(rule).kind === 'count' && !hasSegments(rule);
  return [
    ...(isSeasonal ? [{ key: 'confidence', why: 'what is usual is known without the count test' }] : []),
    ...(hasSegments(rule) ? [] : [{ key: 'false_discovery', why: 'the rule has no segments' }]),
    ...(rule.group_by ? [] : [{ key: 'max_segments', why: 'the rule has no "group_by"' }]),
    ...(isCount ? [{ key: 'no_data_after', why: 'a count without any rows is zero, not "no data"' }] : []),
  ];
}

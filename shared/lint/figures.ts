import type { AttributeName } from '../contract/attributes.ts';
import { type Filter, PLATFORMS } from '../contract/filters.ts';
import { groupsOf } from '../rules/group-by.ts';
import type { FigureRule } from '../rules/rule.ts';
import { metricOf } from '../rules/watched-metric.ts';
import type { Remark } from './findings.ts';

/** Attributes with a value for almost every person, device or visit. */
const ENDLESS: Partial<Record<AttributeName, string>> = {
  session_id: 'session',
  device_id: 'device',
  svcuserid: 'user',
  user_name: 'user',
  referer: 'address',
  user_first_referer: 'address',
};

/** Findings about filters, segments and `minimum`. */
export function figureRemarks(rule: FigureRule): Remark[] {
  return [...segmentRemarks(rule), ...filterRemarks(rule), ...minimumRemarks(rule)];
}

function segmentRemarks(rule: FigureRule): Remark[] {
  return groupsOf(rule).flatMap(({ attribute }): Remark[] => {
    const each = ENDLESS[attribute];
    if (each === undefined) return [];
    const message = `${attribute} has a value for each ${each}, so segments have no history, and all ${each}s after the first hundred are one segment; group by an attribute with few values, such as device_platform or app_version`;
    return [{ code: 'segments-endless', path: ['group_by'], message }];
  });
}

/** Filters that exclude each other. */
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
        message: `no ${last.filter.attribute} matches all of its filters; to allow several values, write { operator: in, value: [${[...new Set(wanted)].join(', ')}] }`,
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

/** Platforms have a name and a number. */
function namingOf(attribute: Filter['attribute']): (value: string | number | boolean) => string {
  if (attribute !== 'device_platform') return String;
  return (value) => PLATFORMS[Number(value) - 1] ?? String(value);
}

/** Warns about rules without a minimum, because small figures often change by large percentages. */
function minimumRemarks(rule: FigureRule): Remark[] {
  const { fire, minimum } = rule;
  const isSmall = metricOf(rule).kind === 'count' && (rule.filters.length > 0 || rule.window === 'hour');
  const isPercentage = fire?.change !== undefined && !fire.current && !fire.difference;
  if (!isSmall || !isPercentage || minimum.current + minimum.baseline + minimum.difference > 0) return [];
  return [
    {
      code: 'minimum-missing',
      path: ['fire', 'change'],
      message: 'small figures change by large percentages: 4 after 3 is +33%; add "minimum: { baseline: … }"',
    },
  ];
}

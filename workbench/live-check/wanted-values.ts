import { ATTRIBUTES, type AttributeName } from '../../shared/contract/attributes.ts';
import type { Path } from '../../shared/lint/findings.ts';
import { filtersIn } from '../../shared/rules/figures.ts';
import { onlyGroupOf } from '../../shared/rules/group-by.ts';
import { metricOf } from '../../shared/rules/metrics.ts';
import type { FigureRule } from '../../shared/rules/rule.ts';

/** Figures of an app by one attribute, for all rules that name its values. One call. */
export interface ValuesAsked {
  app: string;
  attribute: AttributeName;
  /** Values that rules name, with their place in the rule. */
  named: { rule: FigureRule; path: Path; value: string }[];
  /** Rules grouped by the attribute. */
  grouped: FigureRule[];
}

/** The queries for `rules`, one per app and attribute. */
export function valuesAsked(rules: FigureRule[]): ValuesAsked[] {
  const asked = new Map<string, ValuesAsked>();
  const about = ({ app }: FigureRule, attribute: AttributeName): ValuesAsked => {
    const key = `${app} ${attribute}`;
    const found = asked.get(key) ?? {
      app,
      attribute,
      named: [],
      grouped: [],
    };
    asked.set(key, found);
    return found;
  };
  for (const rule of rules) {
    for (const { attribute, value, path } of namedBy(rule))
      about(rule, attribute).named.push({ rule, path, value });
    const attribute = onlyGroupOf(rule);
    if (attribute && isAnswerable(attribute)) about(rule, attribute).grouped.push(rule);
  }
  return [...asked.values()];
}

/** Values that must occur for the rule to have figures. Excluded values need not. */
function namedBy(rule: FigureRule): { attribute: AttributeName; value: string; path: Path }[] {
  const { ratio, funnel } = rule;
  const events = [
    ...(['of', 'to'] as const).flatMap((part) => {
      const side = ratio?.[part];
      return typeof side === 'string' ? [{ value: side, path: ['ratio', part] }] : [];
    }),
    ...(funnel ?? []).map((value, i) => ({ value, path: ['funnel', i] })),
  ].map((each) => ({ ...each, attribute: 'event_name' as const }));
  const filtered = filtersIn(rule).flatMap(({ filter: { attribute, operator, value }, path: at }) => {
    if (!isAnswerable(attribute)) return [];
    const path = [...at, 'value'];
    if (operator === 'equal') return [{ attribute, value: String(value), path }];
    if (operator !== 'in') return [];
    return value.map((each, i) => ({ attribute, value: String(each), path: [...path, i] }));
  });
  return [...events, ...filtered];
}

/**
 * Text attributes, which can be misspelled. The schema knows platforms and numbers, and maps cannot be
 * queried.
 */
function isAnswerable(attribute: AttributeName): boolean {
  const { type, groupsOn } = ATTRIBUTES[attribute];
  return type === 'string' && (groupsOn.includes('session') || groupsOn.includes('event'));
}

/** The event that a rule counts; `undefined` where its filters make it only a part of that event. */
export function countedEvent(rule: FigureRule): string | undefined {
  const { filters, group_by, ratio, funnel } = rule;
  const [filter, ...others] = filters;
  const isPlain = others.length === 0 && !group_by && !ratio && !funnel && rule.metric === 'event_count';
  if (!isPlain || metricOf(rule).kind !== 'count') return undefined;
  return filter?.attribute === 'event_name' && filter.operator === 'equal' ? String(filter.value) : undefined;
}

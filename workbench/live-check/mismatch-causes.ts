import { ATTRIBUTES, type AttributeName } from '../../shared/contract/attributes.ts';
import type { Code, Path } from '../../shared/lint/findings.ts';
import { seriesOf } from '../../shared/readings/series.ts';
import { filtersIn, type RatioSide } from '../../shared/rules/figures.ts';
import { onlyGroupOf } from '../../shared/rules/group-by.ts';
import type { FigureRule } from '../../shared/rules/rule.ts';
import { metricOf } from '../../shared/rules/watched-metric.ts';
import { didYouMean } from '../../shared/text/nearest-words.ts';
import type { Seen, Values } from './known-values.ts';

/** Why a rule matches nothing: the path in the rule, and words that end a sentence. */
export interface Cause {
  code: Code;
  path: Path;
  words: string;
}

/** Known values by attribute; `undefined` for an attribute that was not queried. */
export type ValuesBy = (attribute: AttributeName) => Values | undefined;

/** The rule has a figure only if one of these values occurs. */
interface Essential {
  attribute: AttributeName;
  values: { value: string; path: Path }[];
}

function essentialsOf(rule: FigureRule): Essential[] {
  const { ratio, funnel = [] } = rule;
  const events = (['of', 'to'] as const).flatMap((part) => {
    const side = ratio?.[part];
    return typeof side === 'string' ? [essential('event_name', side, ['ratio', part])] : [];
  });
  const steps = funnel.map((name, i) => essential('event_name', name, ['funnel', i]));
  const filtered = filtersIn(rule).flatMap(({ filter, path: at }): Essential[] => {
    const { attribute, operator, value } = filter;
    const path = [...at, 'value'];
    if (!isNamed(attribute)) return [];
    if (operator === 'equal') return [essential(attribute, String(value), path)];
    if (operator !== 'in') return [];
    return [{ attribute, values: value.map((each, i) => ({ value: String(each), path: [...path, i] })) }];
  });
  return [...events, ...steps, ...filtered];
}

function essential(attribute: AttributeName, value: string, path: Path): Essential {
  return { attribute, values: [{ value, path }] };
}

/** Attributes that can explain why a rule matches nothing. */
export function distinguishing(rule: FigureRule): AttributeName[] {
  const named = essentialsOf(rule).map(({ attribute }) => attribute);
  const attribute = onlyGroupOf(rule);
  return [...new Set([...named, ...(attribute && isNamed(attribute) ? [attribute] : [])])];
}

/** Maps and numbers have no names to suggest. */
function isNamed(attribute: AttributeName): boolean {
  const { type, groupsOn } = ATTRIBUTES[attribute];
  const isGrouped = groupsOn.includes('session') || groupsOn.includes('event');
  return isGrouped && (type === 'string' || type === 'platform');
}

/** The first name in the rule that is known not to occur. */
export function missingName(rule: FigureRule, valuesBy: ValuesBy): Cause | undefined {
  for (const { attribute, values } of essentialsOf(rule)) {
    const seen = knownIn(valuesBy(attribute));
    const [first] = values;
    if (!seen || !first || values.some(({ value }) => seen.counts.has(value))) continue;
    const code = attribute === 'event_name' ? 'live-event-unseen' : 'live-value-unseen';
    return { code, path: first.path, words: missingWords(rule.app, { attribute, value: first.value }, seen) };
  }
  return undefined;
}

/** The rule's group, if it has no values. */
function missingGroup(rule: FigureRule, valuesBy: ValuesBy): Cause | undefined {
  const { app } = rule;
  const group_by = onlyGroupOf(rule);
  const seen = group_by && knownIn(valuesBy(group_by));
  if (!seen || named(seen).length > 0) return undefined;
  return { code: 'live-matches-nothing', path: ['group_by'], words: noneWords(app, group_by) };
}

/** An answer without rows proves nothing: the app sent nothing, or the attribute cannot be grouped by. */
function knownIn(values: Values | undefined): Seen | undefined {
  return values?.kind === 'seen' && values.isWhole && values.counts.size > 0 ? values : undefined;
}

/** Why a rule has no value. */
export function causeOf(rule: FigureRule, valuesBy: ValuesBy): Cause {
  const { app, filters, ratio, funnel } = rule;
  const missing = missingName(rule, valuesBy) ?? missingGroup(rule, valuesBy);
  if (missing) return missing;
  const other = { code: 'live-matches-nothing' } as const;
  if (filters.length > 1) {
    const what = seriesOf(rule).endpoint;
    return { ...other, path: ['filters'], words: `no ${what} of ${app} passes all its filters` };
  }
  if (rule.formula !== undefined) return { ...other, path: ['formula'], words: 'its value was 0 or missing' };
  const [key, words] = ratio
    ? ['ratio', `${sideText(ratio.of)} and ${sideText(ratio.to)} do not occur together`]
    : funnel
      ? ['funnel', 'no step has a value above 0']
      : filters.length > 0
        ? ['filters', `nothing of ${app} passes its filter`]
        : ['metric', 'its value was 0 or missing'];
  return { ...other, path: [key], words };
}

function sideText(side: RatioSide): string {
  return typeof side === 'string' ? side : metricOf(side).unit;
}

/** `bakery has sent no event "Order"; did you mean "order"?` */
function missingWords(
  app: string,
  { attribute, value }: { attribute: AttributeName; value: string },
  seen: Seen,
): string {
  const known = named(seen);
  if (known.length === 0) return noneWords(app, attribute);
  const meant = didYouMean(value, known) || `; it has ${listed(known)}`;
  const what = attribute === 'event_name' ? 'sent no event' : `had no ${attribute}`;
  return `${app} has ${what} "${value}"${meant}`;
}

function noneWords(app: string, attribute: AttributeName): string {
  const what = ATTRIBUTES[attribute].groupsOn.includes('session') ? 'session' : 'event';
  return `no ${what} of ${app} has any ${attribute}`;
}

/** The values, most frequent first. */
function named({ counts }: Seen): string[] {
  const values = [...counts].filter(([value]) => value !== '');
  return values.toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([value]) => value);
}

const LISTED = 8;

function listed(known: string[]): string {
  const more = known.length - LISTED;
  return `${known.slice(0, LISTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

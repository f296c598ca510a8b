import { ATTRIBUTES, type AttributeName } from '../../shared/contract/attributes.ts';
import type { Path } from '../../shared/lint/findings.ts';
import { filtersIn } from '../../shared/rules/figures.ts';
import { onlyGroupOf } from '../../shared/rules/group-by.ts';
import type { FigureRule } from '../../shared/rules/rule.ts';
import { didYouMean } from '../../shared/text/nearest-words.ts';
import type { Seen } from './known-values.ts';

/** Why a rule matches nothing: the path in the rule, and words that end a sentence. */
export interface Cause {
  path: Path;
  words: string;
}

type SeenOf = (attribute: AttributeName) => Promise<Seen | undefined>;

/** The rule has a figure only if one of these values occurs. */
interface Essential {
  attribute: AttributeName;
  values: readonly unknown[];
  path: Path;
}

function essentialsOf(rule: FigureRule): Essential[] {
  const { ratio, funnel = [] } = rule;
  const sides = (['of', 'to'] as const).flatMap((part): Essential[] => {
    const side = ratio?.[part];
    return typeof side === 'string' ? [event(side, ['ratio', part])] : [];
  });
  const filtered = filtersIn(rule).flatMap(({ filter, path: at }): Essential[] => {
    const { attribute, operator, value } = filter;
    if (!isNamed(attribute) || (operator !== 'equal' && operator !== 'in')) return [];
    const path = [...at, 'value', ...(operator === 'in' ? [0] : [])];
    return [{ attribute, values: [value].flat(), path }];
  });
  return [...sides, ...funnel.map((name, i) => event(name, ['funnel', i])), ...filtered];
}

function event(name: string, path: Path): Essential {
  return { attribute: 'event_name', values: [name], path };
}

/** Maps and numbers have no names to suggest. */
export function isNamed(attribute: AttributeName): boolean {
  const { type, groupsOn } = ATTRIBUTES[attribute];
  const isGrouped = groupsOn.includes('session') || groupsOn.includes('event');
  return isGrouped && (type === 'string' || type === 'platform');
}

/** The first name in the rule that is known not to occur. */
export async function missingName(rule: FigureRule, seenOf: SeenOf): Promise<Cause | undefined> {
  for (const { attribute, values, path } of essentialsOf(rule)) {
    const seen = await seenOf(attribute);
    const names = values.map(String);
    if (seen && !names.some((name) => seen.includes(name)))
      return { path, words: missingWords(rule.app, attribute, names[0] ?? '', seen) };
  }
  return undefined;
}

/** Why a rule has no value. */
export async function causeOf(rule: FigureRule, seenOf: SeenOf): Promise<Cause> {
  const { app, filters } = rule;
  const missing = await missingName(rule, seenOf);
  if (missing) return missing;
  const group = onlyGroupOf(rule);
  if (group && isNamed(group) && (await seenOf(group))?.every((value) => value === ''))
    return { path: ['group_by'], words: `${app} has sent no ${group}` };
  const key = (['formula', 'ratio', 'funnel'] as const).find((each) => rule[each] !== undefined);
  if (key === undefined && filters.length > 0)
    return { path: ['filters'], words: `nothing of ${app} passes all its filters` };
  return { path: [key ?? 'metric'], words: 'its value was 0 or missing' };
}

const LISTED = 8;

/** `bakery has sent no event "Order"; did you mean "order"?` */
function missingWords(app: string, attribute: AttributeName, name: string, seen: Seen): string {
  const known = seen.filter((value) => value !== '');
  if (known.length === 0) return `${app} has sent no ${attribute}`;
  const more = known.length > LISTED ? ` and ${known.length - LISTED} more` : '';
  const meant = didYouMean(name, known) || `; it has ${known.slice(0, LISTED).join(', ')}${more}`;
  return `${app} has sent no ${attribute === 'event_name' ? 'event' : attribute} "${name}"${meant}`;
}

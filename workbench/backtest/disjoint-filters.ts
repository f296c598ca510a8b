import { ATTRIBUTES } from '../../shared/contract/attributes.ts';
import { type Filter, platformOf } from '../../shared/contract/filters.ts';

/**
 * Whether no event, session or user can pass both filters. An event has one name; a session or user can have
 * many.
 */
export function areDisjoint(
  a: Filter,
  b: Filter,
  { hasOneEventName }: { hasOneEventName: boolean },
): boolean {
  if (a.attribute !== b.attribute || a.property_name !== b.property_name) return false;
  const hasMany =
    ATTRIBUTES[a.attribute].type === 'list' || (a.attribute === 'event_name' && !hasOneEventName);
  if (hasMany) return excludes(a, b) || excludes(b, a);
  return isApart(a, b) || isApart(b, a);
}

/** For an attribute with one value: every value that `a` accepts fails `b`. */
function isApart(a: Filter, b: Filter): boolean {
  const named = ASKS_FOR.has(a.operator) ? namesIn(a) : [];
  return named.length > 0 && named.every((value) => !admits(b, value));
}

/** For an attribute with many values: `b` excludes every value that `a` accepts. */
function excludes(a: Filter, b: Filter): boolean {
  if (!ASKS_FOR.has(a.operator) || !RULES_OUT.has(b.operator)) return false;
  const out = new Set(namesIn(b));
  return namesIn(a).every((value) => out.has(value));
}

const ASKS_FOR: ReadonlySet<Filter['operator']> = new Set(['equal', 'in', 'has_any']);
const RULES_OUT: ReadonlySet<Filter['operator']> = new Set(['not_equal', 'not_in', 'not_has_any']);

function namesIn({ attribute, value }: Filter): string[] {
  const isPlatform = ATTRIBUTES[attribute].type === 'platform';
  const nameOf = (each: string | number | boolean) => String((isPlatform && platformOf(each)) || each);
  if (Array.isArray(value)) return value.map(nameOf);
  return typeof value === 'object' ? [] : [nameOf(value)];
}

/** Date filters always overlap: the day of a value depends on the app's zone. */
function admits(filter: Filter, value: string): boolean {
  switch (filter.operator) {
    case 'equal':
    case 'in':
    case 'has_any':
      return namesIn(filter).includes(value);
    case 'not_equal':
    case 'not_in':
    case 'not_has_any':
      return !namesIn(filter).includes(value);
    case 'greater':
      return Number(value) > filter.value;
    case 'less':
      return Number(value) < filter.value;
    case 'greater_or_equal':
      return Number(value) >= filter.value;
    case 'less_or_equal':
      return Number(value) <= filter.value;
    case 'contains':
      return value.includes(filter.value);
    case 'not_contains':
      return !value.includes(filter.value);
    default:
      return true;
  }
}

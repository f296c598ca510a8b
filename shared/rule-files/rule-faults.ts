import type * as z from 'zod';
import { ATTRIBUTES, isAttributeName } from '../contract/attributes.ts';
import { NO_FILTER } from '../contract/filters.ts';
import { didYouMean, nearestWords } from '../text/nearest-words.ts';
import { A_LIST, scalarText, sizeText, suggestion, unknownKey, whatIsKnown } from './fault-text.ts';
import type { Fault, Path } from './rule-source.ts';

/** What is found where a key has no value. */
export const NOTHING = 'nothing';

const SHOWN_CHARS = 60;

/** Parses `value`, or returns all faults. */
export function check<T extends z.ZodType>(
  schema: T,
  value: unknown,
): { kind: 'valid'; value: z.output<T> } | { kind: 'faults'; faults: Fault[] } {
  const parsed = schema.safeParse(value, { error: whatIsKnown });
  if (parsed.success) return { kind: 'valid', value: parsed.data };
  const { issues } = parsed.error;
  const unknown = issues.filter(({ code }) => code === 'unrecognized_keys');
  const misspelt = new Set(unknown.map(({ path }) => path.join('.')));
  // A misspelt key explains a missing one.
  const relevant = issues.filter(({ code, path }) => code !== 'custom' || !misspelt.has(path.join('.')));
  return { kind: 'faults', faults: relevant.flatMap((issue) => faultsOf(issue, value)) };
}

function faultsOf(issue: z.core.$ZodIssue, value: unknown): Fault[] {
  const path = writtenPath(value, issue.path);
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      path: [...path, key],
      part: 'key',
      message: unknownKey(key, issue.message),
    }));
  if (issue.code === 'invalid_key')
    return issue.issues.map(({ message }) => ({ path, part: 'key', message, found: shown(path.at(-1)) }));

  const meant = branchMeant(issue);
  if (meant) return meant.flatMap((inner) => faultsOf({ ...inner, path: [...path, ...inner.path] }, value));

  const found = valueAt(value, path);
  if (issue.message.includes(NO_FILTER)) return [{ path: path.slice(0, -1), message: issue.message }];
  if (found === undefined) return [{ path, message: `"${String(path.at(-1))}" is missing${wanted(issue)}` }];
  return [{ path, ...describedBy(issue, found) }];
}

/** The path in the file, where a list of one name may be written without brackets. */
function writtenPath(value: unknown, path: PropertyKey[]): PropertyKey[] {
  return path.at(-1) === 0 && typeof valueAt(value, path.slice(0, -1)) === 'string'
    ? path.slice(0, -1)
    : path;
}

/** For a union, the issues of the only form whose type fits the value, such as a list. */
function branchMeant(issue: z.core.$ZodIssue): z.core.$ZodIssue[] | undefined {
  if (issue.code !== 'invalid_union') return undefined;
  const isOfKind = (branch: z.core.$ZodIssue[]) =>
    !branch.some(({ code, path }) => code === 'invalid_type' && path.length === 0);
  const [meant, ...others] = issue.errors.filter(isOfKind);
  return others.length === 0 ? meant : undefined;
}

function describedBy(issue: z.core.$ZodIssue, found: unknown): Pick<Fault, 'message' | 'found'> {
  if (issue.message.startsWith(A_LIST)) return { message: issue.message };
  const size = sizeText(issue);
  if (size !== undefined) return withFound(size, found);
  const last = issue.path.at(-1);
  if ((last === 'attribute' || last === 'group_by') && typeof found === 'string' && !isAttributeName(found))
    return { message: attributeText(found) };
  const accepted = acceptedBy(issue);
  const name = issue.path.findLast((step) => typeof step !== 'number');
  if (accepted) {
    const hints = `${eventText(name, found, accepted)}${suggestion(String(found), accepted)}`;
    return { message: `unknown ${String(name)} ${shown(found)}${hints}` };
  }
  if (issue.code === 'invalid_type' && isZodsOwn(issue))
    return { message: `must be ${TYPES[issue.expected] ?? issue.expected}`, found: shown(found) };
  const message = scalarText(issue.message, found);
  const isPlain = issue.code !== 'invalid_type' && found !== null && typeof found === 'object';
  return isPlain ? { message } : withFound(message, found);
}

/** A name that is similar to no attribute is probably that of a property. */
function attributeText(found: string): string {
  const property = `; for a property of events, use event_custom_property with property_name: ${found}`;
  return `unknown attribute "${found}"${didYouMean(found, Object.keys(ATTRIBUTES)) || property}`;
}

/** A hint for unknown metrics: most are meant to count an event. */
function eventText(name: PropertyKey | undefined, found: unknown, accepted: string[]): string {
  const isEvent = name === 'metric' && nearestWords(String(found), accepted).length === 0;
  return isEvent ? '; to count an event, use event_count with a filter on event_name' : '';
}

const TYPES: Partial<Record<string, string>> = {
  string: 'text (in quotes where it looks like a number)',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a map of keys and values',
  record: 'a map of keys and values',
  array: 'a list',
};

/** What a missing value should be; empty if its schema does not say. */
function wanted(issue: z.core.$ZodIssue): string {
  const accepted = acceptedBy(issue);
  if (accepted) return `; accepted: ${accepted.join(', ')}`;
  if (issue.code === 'invalid_type' && isZodsOwn(issue)) {
    const type = TYPES[issue.expected]?.replace(/ \(.*/, '');
    return type ? `; it must be ${type}` : '';
  }
  if (issue.message.startsWith('not a string, number')) return '; it must be a text, a number, true or false';
  return isZodsOwn(issue) ? '' : `; ${issue.message.replace(/^must be/, 'it must be')}`;
}

/** Whether the message is from Zod and not from our schemas. */
function isZodsOwn({ message }: z.core.$ZodIssue): boolean {
  return message.startsWith('Invalid input');
}

/** The accepted values, if they are a list. The type of unions lacks them. */
function acceptedBy(issue: z.core.$ZodIssue): string[] | undefined {
  if (issue.code === 'invalid_value') return issue.values.map(String);
  const isChoice = issue.code === 'invalid_union' && 'options' in issue && Array.isArray(issue.options);
  return isChoice ? issue.options.map(String) : undefined;
}

/** With the value that was found, unless the message already shows it or says to remove it. */
function withFound(message: string, found: unknown): Pick<Fault, 'message' | 'found'> {
  if (/; remove (it|this|one)\b/.test(message)) return { message };
  const isShown =
    message.includes(`"${String(found)}"`) ||
    (/^[a-z]\w+$/.test(String(found)) && message.includes(String(found)));
  return isShown ? { message } : { message, found: shown(found) };
}

function shown(value: unknown): string {
  if (value === null) return NOTHING;
  const text = JSON.stringify(value) ?? String(value);
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
}

/** The value at `path`; `undefined` if there is none. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, step) =>
      inner !== null && typeof inner === 'object' ? (inner as Record<PropertyKey, unknown>)[step] : undefined,
    value,
  );
}

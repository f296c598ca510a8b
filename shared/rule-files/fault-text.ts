import * as z from 'zod';
import { PLATFORMS } from '../contract/filters.ts';
import { nearestWords } from '../text/nearest-words.ts';

/** Longer lists of choices are not shown if one of them is similar. */
const LISTED = 12;

/** "a, b or c". British English has no comma before "or". */
const CHOICES = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** The start of every message about a missing list. */
export const A_LIST = 'must be a list';

/**
 * Adds known keys, choices and descriptions to the messages of Zod, which are only available while it parses.
 * For unknown keys the message is JSON that `unknownKey` reads.
 */
export const whatIsKnown: z.core.$ZodErrorMap = ({ code, inst, input }) => {
  if (inst instanceof z.ZodArray) return code === 'invalid_type' ? inAList(input, inst) : undefined;
  if (inst instanceof z.ZodString || inst instanceof z.ZodNumber) return oneValue(input, inst, code);
  if (!(inst instanceof z.ZodObject)) return undefined;
  if (code === 'unrecognized_keys') return JSON.stringify(homesOf(inst));
  if (code !== 'invalid_type') return undefined;
  const meant = typeof input === 'string' ? choiceIn(input, inst) : undefined;
  return meant ?? `must be a map with the keys ${Object.keys(inst.shape).join(', ')}`;
};

/** The keys of an object, each with its own keys if it is an object too. */
const homesSchema = z.record(z.string(), z.array(z.string()));

function homesOf({ shape }: z.ZodObject): z.infer<typeof homesSchema> {
  return Object.fromEntries(
    Object.entries(shape).map(([key, schema]) => {
      const inner = within(schema);
      return [key, inner instanceof z.ZodObject ? Object.keys(inner.shape) : []];
    }),
  );
}

/** The schema within optional and default wrappers. */
function within(schema: unknown): unknown {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault
    ? within(schema.unwrap())
    : schema;
}

/** A comma in braces begins the next key. */
const NO_COMMAS = 'separate values with spaces, not commas: 1000*28 400';

/** The message for an unknown key: a similar key, or where the key belongs. `known` is JSON from `whatIsKnown`. */
export function unknownKey(key: string, known: string): string {
  const homes = homesSchema.parse(JSON.parse(known));
  if (key === '<<')
    return 'merge keys are not supported; write shared keys in "defaults" at the top of the file';
  if (Object.hasOwn(homes, 'values') && /^[\d(_]/.test(key)) return NO_COMMAS;
  const near = nearestWords(key, Object.keys(homes));
  const belongs = Object.keys(homes).filter((home) => homes[home]?.includes(key));
  const [home] = belongs;
  if (home !== undefined && near.length === 0) {
    const into = CHOICES.format(belongs.map((each) => `"${each}"`));
    return `put "${key}" in ${into}, such as { ${home}: { ${key}: … } }`;
  }
  return `unknown key "${key}"${suggestion(key, Object.keys(homes))}`;
}

/** The message if the text is a choice of one of the keys of a map. */
function choiceIn(input: string, { shape }: z.ZodObject): string | undefined {
  const key = Object.keys(shape).find((each) => {
    const inner = within(shape[each]);
    return inner instanceof z.ZodEnum && inner.options.includes(input);
  });
  return key === undefined ? undefined : `must be a map; write { ${key}: ${input} }`;
}

function inAList(found: unknown, { element }: z.ZodArray): string | undefined {
  if (found === undefined) return undefined;
  if (typeof found !== 'string') return `${A_LIST}; write each entry after "- ", or put all entries in [ ]`;
  const choices = element instanceof z.ZodEnum ? element.options.map(String) : [found];
  if (choices.includes(found)) return `${A_LIST}: [${found}]`;
  return `${A_LIST}${suggestion(found, choices)}`;
}

function oneValue(input: unknown, inst: z.ZodString | z.ZodNumber, code: string): string | undefined {
  if (code !== 'invalid_type') return undefined;
  const { description } = inst;
  if (input === undefined && description !== undefined)
    return `it is ${description.charAt(0).toLowerCase()}${description.slice(1).replace(/\.( .*)?$/s, '')}`;
  if (Array.isArray(input)) return 'takes one value, not a list';
  if (typeof input !== 'string' || !(inst instanceof z.ZodNumber)) return undefined;
  if (/^-?\d+(\.\d+)?%$/.test(input)) return 'must be a number, not a percentage';
  return /^-?\d+(\.\d+)?$/.test(input) ? 'must be a number, without quotes' : undefined;
}

/** Our message for a value that is too large or too small; `undefined` for other issues. */
export function sizeText(issue: z.core.$ZodIssue): string | undefined {
  if (!issue.message.startsWith('Too ')) return undefined;
  if (issue.code === 'too_small') {
    if (issue.origin === 'array')
      return `must have at least ${issue.minimum === 1 ? 'one entry' : `${issue.minimum} entries`}`;
    return issue.origin === 'string' ? 'must not be empty' : `must be at least ${issue.minimum}`;
  }
  if (issue.code !== 'too_big') return undefined;
  if (issue.origin === 'array') return `must have at most ${issue.maximum} entries`;
  return issue.origin === 'string'
    ? `must have at most ${issue.maximum} characters`
    : `must be at most ${issue.maximum}`;
}

/** The message about the value of a filter, in terms of YAML. */
export function scalarText(message: string, found: unknown): string {
  switch (message) {
    case 'not a string':
      return `must be text; put it in quotes: "${String(found)}"`;
    case 'not a list':
      return `${A_LIST}: [${JSON.stringify(found)}]`;
    case 'not a boolean':
      return `must be true or false${truthText(found)}`;
    case 'not a number':
      return `must be a number${/^-?\d+(\.\d+)?$/.test(String(found)) ? ', without quotes' : ''}`;
    case 'not one of android, ios, web':
      return `unknown platform ${JSON.stringify(found)}${suggestion(String(found), PLATFORMS)}`;
    case 'not a string, number or boolean':
      return 'takes one value, not a list; for several values, use the operator "in"';
    default:
      return message;
  }
}

/** A hint for the truth values of YAML 1.1, and for quoted ones. */
function truthText(found: unknown): string {
  const word = String(found).toLowerCase();
  if (['yes', 'on', 'true'].includes(word)) return ': write true';
  return ['no', 'off', 'false'].includes(word) ? ': write false' : '';
}

/** The end of a message: the most similar of `accepted`, and all of them unless there are too many. */
export function suggestion(word: string, accepted: readonly string[]): string {
  const near = nearestWords(word, accepted).map((each) => `"${each}"`);
  const all = accepted.join(', ');
  if (near.length === 0) return `; accepted: ${all}`;
  const meant = `; did you mean ${near.join(' or ')}?`;
  return accepted.length > LISTED ? meant : `${meant} Accepted: ${all}`;
}

import * as z from 'zod';
import { nearestWords } from '../../alerting/text/nearest-words.ts';
import { PLATFORMS } from '../../analytics/filters.ts';

/** More choices than these are not listed where one of them is near. */
const LISTED = 12;

/** What a list should be, to begin with. */
export const A_LIST = 'must be a list';

/**
 * What an issue is about is known only while Zod parses, so its message carries that: the keys that there are, the choices,
 * what a missing value is for.
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

/** The keys of an object, each with those of its own where it is an object itself. */
const homesSchema = z.record(z.string(), z.array(z.string()));

function homesOf({ shape }: z.ZodObject): z.infer<typeof homesSchema> {
  return Object.fromEntries(
    Object.entries(shape).map(([key, schema]) => {
      const inner = within(schema);
      return [key, inner instanceof z.ZodObject ? Object.keys(inner.shape) : []];
    }),
  );
}

/** What a value must be like that is given or left out. */
function within(schema: unknown): unknown {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault
    ? within(schema.unwrap())
    : schema;
}

/** What a key that there is not should have been, or where it belongs. */
export function unknownKey(key: string, known: string): string {
  const homes = homesSchema.parse(JSON.parse(known));
  if (key === '<<')
    return 'keys are not merged; write what several rules share into "defaults" at the head of the file';
  const near = nearestWords(key, Object.keys(homes));
  const belongs = Object.keys(homes).filter((home) => homes[home]?.includes(key));
  const [home] = belongs;
  if (home !== undefined && near.length === 0) {
    const into = belongs.map((each) => `"${each}"`).join(' or ');
    return `"${key}" belongs into ${into}: { ${home}: { ${key}: … } }`;
  }
  return `unknown key "${key}"${suggestion(key, Object.keys(homes))}`;
}

/** One of the choices of one of its keys, in place of the map. */
function choiceIn(input: string, { shape }: z.ZodObject): string | undefined {
  const key = Object.keys(shape).find((each) => {
    const inner = within(shape[each]);
    return inner instanceof z.ZodEnum && inner.options.includes(input);
  });
  return key === undefined ? undefined : `must be a map, { ${key}: ${input} }`;
}

function inAList(found: unknown, { element }: z.ZodArray): string | undefined {
  if (found === undefined) return undefined;
  if (typeof found !== 'string') return `${A_LIST}; write each entry behind "- ", or all in [ ]`;
  const choices = element instanceof z.ZodEnum ? element.options.map(String) : [found];
  if (choices.includes(found)) return `${A_LIST}: [${found}]`;
  return `${A_LIST}${suggestion(found, choices)}`;
}

function oneValue(input: unknown, inst: z.ZodString | z.ZodNumber, code: string): string | undefined {
  if (code !== 'invalid_type') return undefined;
  const { description } = inst;
  if (input === undefined && description !== undefined)
    return `it is ${description.charAt(0).toLowerCase()}${description.slice(1).replace(/\.$/, '')}`;
  if (Array.isArray(input)) return 'takes one value, not a list';
  if (typeof input !== 'string' || !(inst instanceof z.ZodNumber)) return undefined;
  if (/^-?\d+(\.\d+)?%$/.test(input)) return 'must be a number, not a percentage';
  return /^-?\d+(\.\d+)?$/.test(input) ? 'must be a number, without quotes' : undefined;
}

/** How large something must be, in place of Zod's words for it. */
export function sizeText(issue: z.core.$ZodIssue): string | undefined {
  if (!issue.message.startsWith('Too ')) return undefined;
  if (issue.code === 'too_small') {
    if (issue.origin === 'array') return `must hold ${issue.minimum === 1 ? 'at least one' : issue.minimum}`;
    return issue.origin === 'string' ? 'must not be empty' : `must be ${issue.minimum} or more`;
  }
  if (issue.code !== 'too_big') return undefined;
  if (issue.origin === 'array') return `must hold no more than ${issue.maximum}`;
  return issue.origin === 'string'
    ? `must be no longer than ${issue.maximum} letters`
    : `must be ${issue.maximum} or less`;
}

/** What the service says of a filter's value, for whoever writes YAML. */
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
      return 'takes one value, not a list; for several, take the operator "in"';
    default:
      return message;
  }
}

/** What YAML 1.1 took for a truth value, and its quotes. */
function truthText(found: unknown): string {
  const word = String(found).toLowerCase();
  if (['yes', 'on', 'true'].includes(word)) return ': write true';
  return ['no', 'off', 'false'].includes(word) ? ': write false' : '';
}

/** The nearest of `accepted`, and all of them unless they are so many that the nearest say more. */
export function suggestion(word: string, accepted: readonly string[]): string {
  const near = nearestWords(word, accepted).map((each) => `"${each}"`);
  const meant = near.length > 0 ? `; did you mean ${near.join(' or ')}?` : ';';
  return near.length > 0 && accepted.length > LISTED ? meant : `${meant} accepted are ${accepted.join(', ')}`;
}

import {
  ATTRIBUTES,
  type AttributeName,
  type AttributeType,
  attributeNames,
  type Read,
  type Resource,
} from '../../../shared/contract/attributes.ts';
import { OPERATORS, PLATFORMS, sentFilterSchema } from '../../../shared/contract/filters.ts';
import { ATTRIBUTE_WORDS, VALUE_WORDS } from '../../../shared/contract/glossary.ts';
import { groupBySchema } from '../../../shared/contract/grouping.ts';
import { BOOLEAN_TEXTS, sentNumberSchema } from '../../../shared/contract/sent-values.ts';
import { jsonSchemaOf, markdownTable, pascal, ref, type Schema, targetOf } from './json-schema.ts';

/** The shape of every filter and group; the schemas below add the names that each resource accepts. */
export const SHAPES: Readonly<Record<string, Schema>> = {
  Filter: {
    ...jsonSchemaOf(sentFilterSchema),
    description: 'The shape of one condition. Each endpoint lists its attributes and their operators.',
  },
  Group: {
    ...jsonSchemaOf(groupBySchema),
    description: 'One attribute to group by. Each endpoint lists its attributes.',
  },
};

/** Lists of users accept more filters than their analytics. */
export const filterName = (resource: Resource, read: Read): string =>
  `${pascal(resource)}${resource === 'user' && read === 'list' ? 'List' : ''}Filter`;

/** A filter of an endpoint: its attributes and, for each type of attribute, the operators and values. */
export function filterOf(resource: Resource, read: Read): Schema {
  const names = attributeNames(resource, 'filtersOn').filter(
    (name) => read === 'list' || !ATTRIBUTES[name].listOnly,
  );
  const types = [...new Set(names.map((name) => ATTRIBUTES[name].type))];
  return {
    description: `Filters on ${resource}s.\n\n${attributeTable(names)}`,
    allOf: [ref('Filter'), { anyOf: types.map((type) => filtersOn(type, namesOf(names, [type]))) }],
  };
}

function filtersOn(type: AttributeType, names: readonly AttributeName[]): Schema {
  const target = targetOf(names, type === 'json', OPERATORS[type]);
  const value = VALUES[type];
  return {
    title: type,
    description: `\`value\`: ${VALUE_WORDS[type]}`,
    ...target,
    properties: { ...target.properties, ...(value && { value }) },
  };
}

const oneOrMore = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'array', items: schema }] });

/** The values of those types whose operators accept different values. */
const VALUES: Readonly<Partial<Record<AttributeType, Schema>>> = {
  string: oneOrMore({ type: 'string' }),
  list: oneOrMore({ type: 'string' }),
  number: oneOrMore(jsonSchemaOf(sentNumberSchema)),
  boolean: oneOrMore({ enum: [true, false, ...BOOLEAN_TEXTS] }),
  platform: oneOrMore({ enum: [...PLATFORMS, ...PLATFORMS.flatMap((_, at) => [at + 1, String(at + 1)])] }),
};

/** A group of an endpoint. */
export function groupOf(resource: Resource): Schema {
  const names = attributeNames(resource, 'groupsOn');
  const maps = namesOf(names, ['json']);
  const plain = names.filter((name) => !maps.includes(name));
  return {
    description: `Groups of ${resource}s.\n\n${attributeTable(names)}`,
    allOf: [ref('Group'), { anyOf: [targetOf(plain, false), targetOf(maps, true)] }],
  };
}

const namesOf = (names: readonly AttributeName[], types: readonly AttributeType[]): AttributeName[] =>
  names.filter((name) => types.includes(ATTRIBUTES[name].type));

const attributeTable = (names: readonly AttributeName[]): string =>
  markdownTable(
    ['attribute', 'type', 'meaning'],
    names.map((name) => [`\`${name}\``, ATTRIBUTES[name].type, ATTRIBUTE_WORDS[name]]),
  );

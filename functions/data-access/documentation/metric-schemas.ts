import type { Resource } from '../../../shared/analytics/attributes.ts';
import { COUNT_WORDS, NUMBER_WORDS } from '../../../shared/analytics/glossary.ts';
import { aggregationSchema, OPERATIONS } from '../../../shared/analytics/grouping.ts';
import { COUNTS, NUMBERS, type NumberName, ONLY_OPERATION } from '../../../shared/analytics/metrics.ts';
import { jsonSchemaOf, markdownTable, type Schema, targetOf } from './json-schema.ts';

/** What can be asked of one name: the operators that stand in the name or beside it. */
export interface MetricRow {
  readonly name: string;
  readonly operators: readonly string[];
  readonly words: string;
}

export const metricRows = (resource: Resource): MetricRow[] => [
  ...COUNTS[resource].map((name) => ({ name, operators: [], words: COUNT_WORDS[name] })),
  ...NUMBERS[resource].map((name) => ({ name, operators: OPERATIONS, words: NUMBER_WORDS[name] })),
];

/** What an endpoint takes as an item of `aggregation`. */
export function metricOf(resource: Resource): Schema {
  const table = markdownTable(
    ['metric', 'operator', 'means'],
    metricRows(resource).map(({ name, operators, words }) => [`\`${name}\``, operators.join(', '), words]),
  );
  const counts = targetOf(COUNTS[resource], false, ['', 'count']);
  const numbered: readonly NumberName[] = NUMBERS[resource];
  const plain = numbered.filter((name) => name !== MAP);
  const maps = numbered.filter((name) => name === MAP);
  const defaulted = plain.filter((name) => ONLY_OPERATION[name] !== undefined);
  const meant = defaulted.length > 0 ? [targetOf(defaulted, false, ['', ...OPERATIONS])] : [];
  return {
    description: `Metrics of ${resource}s. \`avg_x\` is short for \`x\` with the operator \`avg\`.${defaultWords(defaulted)}\n\n${table}`,
    allOf: [
      jsonSchemaOf(aggregationSchema),
      { anyOf: [counts, ...meant, ...numbers(plain, false), ...numbers(maps, true)] },
    ],
  };
}

const defaultWords = (names: readonly string[]): string =>
  names.length === 0
    ? ''
    : ` Without an operator ${names.map((name) => `\`${name}\``).join(', ')} are averages.`;

const MAP = 'event_custom_property';

/** Numbers with the operation beside them, or before them and then perhaps again beside them. */
function numbers(names: readonly string[], areMaps: boolean): Schema[] {
  if (names.length === 0) return [];
  const bare = targetOf(names, areMaps, OPERATIONS);
  const prefixed = OPERATIONS.map((operation) => {
    const named = names.map((name) => `${operation}_${name}`);
    return targetOf(named, areMaps, ['', operation]);
  });
  return [{ ...bare, required: [...(bare.required ?? []), 'operator'] }, ...prefixed];
}

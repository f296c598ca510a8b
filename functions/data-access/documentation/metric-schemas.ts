import type { Resource } from '../../../shared/contract/attributes.ts';
import { COUNT_WORDS, NUMBER_WORDS } from '../../../shared/contract/glossary.ts';
import { aggregationSchema, OPERATIONS } from '../../../shared/contract/grouping.ts';
import { COUNTS, NUMBERS, type NumberName, ONLY_OPERATION } from '../../../shared/contract/metrics.ts';
import { jsonSchemaOf, markdownTable, type Schema, targetOf } from './json-schema.ts';

/** One metric, with the operators it accepts as a prefix of its name or in `operator`. */
export interface MetricRow {
  readonly name: string;
  readonly operators: readonly string[];
  readonly words: string;
}

export const metricRows = (resource: Resource): MetricRow[] => [
  ...COUNTS[resource].map((name) => ({ name, operators: [], words: COUNT_WORDS[name] })),
  ...NUMBERS[resource].map((name) => ({ name, operators: OPERATIONS, words: NUMBER_WORDS[name] })),
];

/** An item of `aggregation` of an endpoint. */
export function metricOf(resource: Resource): Schema {
  const table = markdownTable(
    ['metric', 'operator', 'meaning'],
    metricRows(resource).map(({ name, operators, words }) => [`\`${name}\``, operators.join(', '), words]),
  );
  const counts = targetOf(COUNTS[resource], false, ['', 'count']);
  const numbered: readonly NumberName[] = NUMBERS[resource];
  const plain = numbered.filter((name) => name !== MAP);
  const maps = numbered.filter((name) => name === MAP);
  const defaulted = plain.filter((name) => ONLY_OPERATION[name] !== undefined);
  const averaged = defaulted.length > 0 ? [targetOf(defaulted, false, ['', ...OPERATIONS])] : [];
  return {
    description: `Metrics of ${resource}s. \`avg_x\` is short for \`x\` with the operator \`avg\`.${defaultWords(defaulted)}\n\n${table}`,
    allOf: [
      jsonSchemaOf(aggregationSchema),
      { anyOf: [counts, ...averaged, ...numbers(plain, false), ...numbers(maps, true)] },
    ],
  };
}

const defaultWords = (names: readonly string[]): string =>
  names.length === 0
    ? ''
    : ` Without an operator, ${names.map((name) => `\`${name}\``).join(', ')} are averages.`;

const MAP = 'event_custom_property';

/** Numbers with the operation in `operator`, or as a prefix of the name and optionally also in `operator`. */
function numbers(names: readonly string[], areMaps: boolean): Schema[] {
  if (names.length === 0) return [];
  const bare = targetOf(names, areMaps, OPERATIONS);
  const prefixed = OPERATIONS.map((operation) => {
    const named = names.map((name) => `${operation}_${name}`);
    return targetOf(named, areMaps, ['', operation]);
  });
  return [{ ...bare, required: [...(bare.required ?? []), 'operator'] }, ...prefixed];
}

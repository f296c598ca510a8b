import { parseArgs } from 'node:util';
import { attributeMean } from '../../shared/statistics/attribution.ts';
import { causesAsked } from './asking.ts';
import { type Case, type CauseValues, readCases } from './cases.ts';
import { causeText, exactMatch } from './exact-match.ts';
import { generatedCases } from './generated.ts';
import { adtributor, largestChange } from './rivals.ts';

const GENERATED = 60;

/** Causes of recorded cases have up to three dimensions; messages name at most two. */
const DEPTH = 3;

/**
 * Scores how often attribution names the exact causes of a change, on the cases of a folder (`--data`) or on generated
 * ones. Compares it with two simple methods, with a search of depth two, and with the causes in a message, which are
 * based on a few grouped questions.
 */
export async function run(options: string[]) {
  const { values } = parseArgs({ args: options, options: { data: { type: 'string' } } });
  const cases = values.data === undefined ? generatedCases(GENERATED) : await readCases(values.data);
  const answersOf = (name: (each: Case) => CauseValues[]) =>
    cases.map((each) => ({ each, named: name(each) }));
  const deepest = answersOf((each) => causesNamed(each, DEPTH));
  for (const { each, named } of deepest) console.log(lineFor(each, named));
  const rival = exactMatch(answersOf(largestChange));
  return {
    ...exactMatch(deepest),
    rivalF1: rival.f1,
    adtributorF1: exactMatch(answersOf(adtributor)).f1,
    twoDeepF1: exactMatch(answersOf((each) => causesNamed(each, 2))).f1,
    askedF1: exactMatch(answersOf(causesAsked)).f1,
    cases: cases.length,
  };
}

export function causesNamed({ table }: Case, depth: number): CauseValues[] {
  return attributeMean(table, depth).drivers.map(({ values }) => values);
}

function lineFor({ name, causes }: Case, named: readonly CauseValues[]): string {
  const [expected = '', answer] = [causes, named].map((each) => each.map(causeText).toSorted().join('; '));
  const isFound = expected === answer;
  return `${name.padEnd(36)} ${isFound ? 'found ' : 'missed'} ${expected}${isFound ? '' : `  (named ${answer || 'nothing'})`}`;
}

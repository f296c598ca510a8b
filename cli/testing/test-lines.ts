import { bad, good } from '../../local/colour.ts';
import type { TestResult } from '../../workbench/rule-tests/test-rules.ts';
import { wrapped } from '../terminal/wrapping.ts';

/** A test with the reasons for its failure. The first test of a file has the file's name above. */
export function resultLines(result: TestResult, before: TestResult | undefined): string[] {
  const { file, place, name, outcome, milliseconds, failures } = result;
  const apart = before && before.outcome !== 'passed' ? [''] : [];
  const head = [...apart, ...(file === before?.file ? [] : [file])];
  switch (outcome) {
    case 'passed':
      return [...head, ...wrapped(`  ${good('ok')}    ${name} (${milliseconds} ms)`, 6)];
    case 'wrong':
      return [...head, ...wrapped(`  ${bad('FAIL')}  ${name}`, 6), '', ...failures];
    case 'failed': {
      const why = failures.flatMap((line) => (line === '' ? [''] : wrapped(`    ${line}`)));
      return [...head, ...wrapped(`  ${bad('FAIL')}  ${name} (${place})`, 6), ...why];
    }
  }
}

/** "3 passed, 1 failed". */
export function summaryLine(passed: number, failed: number): string {
  const failures = `${failed} failed`;
  return `${good(`${passed} passed`)}, ${failed > 0 ? bad(failures) : failures}`;
}

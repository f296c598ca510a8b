import { readFileSync } from 'node:fs';

// Prints "N passed, N failed" (", N skipped" where any) of Vitest's JSON report, and exits 1 where anything failed.
const [report, failedSteps, testsExit] = process.argv.slice(2);

const tests = readReport();
// A file that does not load has no test that could fail.
const brokenFiles = tests.testResults.filter(
  (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
).length;
const failedTests = tests.numFailedTests + brokenFiles;
const unexplained = Number(testsExit) !== 0 && failedTests === 0 ? 1 : 0;

const failed = failedTests + unexplained + Number(failedSteps);
const skipped = tests.numPendingTests + tests.numTodoTests;
console.log(`${tests.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed > 0 ? 1 : 0;

function readReport() {
  try {
    return JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] };
  }
}

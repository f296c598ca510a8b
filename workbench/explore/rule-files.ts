import { rm } from 'node:fs/promises';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import { hasSegments } from '../../shared/rules/rule.ts';
import { metricOf } from '../../shared/rules/watched-metric.ts';
import { systemClock } from '../../shared/runtime/clock.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';
import { testRules } from '../rule-tests/test-rules.ts';
import { writeStarter } from '../starter/project-files.ts';
import { flow, ruleText } from '../starter/starter-files.ts';
import type { AskedRule } from './asked-rule.ts';

/** A new file of one rule, and its test. */
export type RuleFiles = ReturnType<typeof filesOf>;

/** The files as a person would write them. The test has usual weeks, then a window that fires. */
export function filesOf({ rule, entry }: AskedRule) {
  const { id, fire, metric, ratio, filters, window } = rule;
  const { above, below = -0.8 } = fire?.change ?? {};
  const factor = above === undefined ? (1 + below) / 2 : 1.5 + 2 * above;
  const windows = window === 'hour' ? 672 : 56;
  const values = (usual: number, by = 1) => `${usual}*${windows} ${Math.round(usual * by)}`;
  const isMean = metricOf(rule).kind === 'mean';
  const event = filters.find(({ attribute }) => attribute === 'event_name')?.value;
  const own = metric === 'event_count' && event !== undefined ? { event } : { metric };
  const usual = { ...own, ...(isMean && { weight: 1000 }) };
  const seriesOf = (by: number) => {
    if (!ratio) return [{ ...usual, values: values(1000, by) }];
    const of = { event: ratio.of, values: values(Math.floor(1000 / Math.max(2, factor)), by) };
    return [of, { event: ratio.to, values: values(1000) }];
  };
  // Rates of segments are compared with one another.
  const series = hasSegments(rule)
    ? [1, factor].flatMap((by, i) => seriesOf(by).map((each) => ({ ...each, segment: `${i + 1}` })))
    : seriesOf(factor);
  return {
    id,
    rule: `# yaml-language-server: $schema=./schema/rules.schema.json
rules:
${ruleText({ comment: [], entry }, {})}`,
    test: `# yaml-language-server: $schema=./schema/tests.schema.json
tests:
  - name: fires when the ${window} is far outside
    starts: 2026-01-05 # a Monday
    series:
${series.map((each) => `      - ${flow(each)}`).join('\n')}
    alerts: [{ fired: ${flow(id)} }]
    rules: [${flow(id)}]
`,
  };
}

/** A folder of rules. `read` throws `ConfigError` with all of its problems. */
export interface RuleFolder {
  dir: string;
  read: () => Promise<RuleSet>;
  /** The folder in the repository, such as `https://github.com/acme/shop/blob/main/rules`. */
  url?: string;
}

/**
 * Writes the files, never over others, and returns the rules of the folder. Throws `ConfigError` and leaves nothing if a file
 * cannot be written, the folder has problems then, or the test fails.
 */
export async function writeRule({ id, rule, test }: RuleFiles, { dir, read }: RuleFolder): Promise<RuleSet> {
  const files = new Map([
    [`${id}.yaml`, rule],
    [`${id}.test.yaml`, test],
  ]);
  const hint = 'give the rule another title';
  const { written } = await writeStarter(dir, files, [...files.keys()], hint).catch((error: Error) => {
    throw new ConfigError(`the rule cannot be written: ${error.message}`);
  });
  try {
    const ruleSet = await read();
    if (!ruleSet.rules.some((each) => each.id === id))
      throw new ConfigError(`no rule has the id "${id}", which the name of the file has; keep "id: ${id}"`);
    const run = { files: written.slice(1), rulesIn: read, dir, only: undefined, clock: systemClock };
    for await (const { outcome, failures } of testRules(run))
      if (outcome !== 'passed') throw new ConfigError(`the test fails: ${failures.join(' ')}`);
    return ruleSet;
  } catch (error) {
    for (const path of written) await rm(path);
    throw error;
  }
}

/** The page of GitHub that proposes the rule in the repository; `undefined` for another host. */
export function proposalUrl({ id, rule }: RuleFiles, { url = '' }: RuleFolder): string | undefined {
  const [, repository, place] = /^(https:\/\/github\.com\/[^/]+\/[^/]+)\/blob\/(.+)$/.exec(url) ?? [];
  const query = new URLSearchParams({ filename: `${id}.yaml`, value: rule });
  return repository && `${repository}/new/${place}?${query}`;
}

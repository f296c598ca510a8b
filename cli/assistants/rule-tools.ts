import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { ATTRIBUTES, isAttributeName } from '../../shared/contract/attributes.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import { ROUTES_FILE } from '../../shared/rule-files/shown-source.ts';
import { buildRuleSet } from '../../shared/rule-files/yaml-rule-files.ts';
import { parseYaml } from '../../shared/rule-files/yaml-source.ts';
import { isErrorCode } from '../../shared/runtime/errors.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import { backtest } from '../../workbench/backtest/backtest.ts';
import { DAYS, frequentValues } from '../../workbench/live-check/known-values.ts';
import { isNamed } from '../../workbench/live-check/mismatch-causes.ts';
import { testsIn } from '../../workbench/rule-tests/read-tests.ts';
import { resultsOf, type TestResult } from '../../workbench/rule-tests/test-rules.ts';
import { openFigures } from '../options/figures.ts';
import { openPast } from '../options/past.ts';
import { refuseProblems } from '../options/read-rules.ts';
import { reportOf } from '../rules/check.ts';
import { type Call, type Tool, tool } from './tools.ts';

const RULES_FILE = 'rules.yaml';
const TESTS_FILE = 'rules.test.yaml';
const MOST = 200;

const text = z.string().max(50_000);
const yaml = text.describe('A file of rules: "rules:" and a list of them.');
const app = z.string().min(1).max(64);
const attribute = z.enum(Object.keys(ATTRIBUTES).filter(isAttributeName).filter(isNamed));

/** About figures, and rules that are not deployed. */
export const RULE_TOOLS: Tool[] = [
  tool(
    ['catalogue', 'Lists the apps; of an app its events with properties, or the values of an attribute.'],
    { app: app.optional(), attribute: attribute.optional() },
    async ({ app, attribute }, { options, clock }) => {
      const now = clock.now();
      const ruleSet = { rules: app === undefined ? [] : [{ app }] };
      const figures = await openFigures(options, { ruleSet, from: now - DAYS * DAY_MS, to: now, clock });
      try {
        if (app === undefined) return { figures: figures.describe, apps: await figures.apps() };
        const source = figures.sourceFor(app);
        const read = attribute === undefined ? await source.readCatalogue?.(app) : undefined;
        if (read?.kind === 'read') return { app, events: read.value.slice(0, MOST) };
        const asked = { app, attribute: attribute ?? 'event_name', zone: 'UTC' } as const;
        return { app, values: (await frequentValues(source, asked, now)).slice(0, MOST) };
      } finally {
        figures.close();
      }
    },
  ),
  tool(
    [
      'check_rule',
      'Checks rules as "deltawatch check" does: errors and likely mistakes, each with its line.',
    ],
    { yaml, live: z.boolean().default(false).describe('Also ask the data whether all names occur.') },
    async ({ yaml, live }, call) => {
      const written = await read(yaml, call);
      if (written.kind === 'problems') return { valid: false, problems: written.problems };
      const { findings } = await reportOf(written, { ...call.options, ...(live && { live }) }, call.clock);
      // Routes are not part of what was given.
      return { valid: true, findings: findings.filter(({ file }) => file === RULES_FILE) };
    },
  ),
  tool(
    ['test_rule', 'Runs the tests of rules on invented figures, as "deltawatch test" does.'],
    { yaml, tests: text.describe('A file of tests: "tests:" and a list of them.') },
    async ({ yaml, tests }, call) => testResults(await valid(yaml, call), tests, call),
  ),
  tool(
    ['backtest_rule', 'Replays past data: when would the rules have fired, and how many messages a month?'],
    { yaml, days: z.int().min(1).max(90).default(60), until: z.iso.date().optional() },
    async ({ yaml, days, until }, { options, clock, signal }) => {
      const ruleSet = await valid(yaml, { options });
      const to = until === undefined ? undefined : Date.parse(until);
      const { figures, span } = await openPast({ ...options, days, ...(to && { to }) }, ruleSet, clock);
      try {
        const { rules, ...report } = await backtest({ ruleSet, span, ...figures, clock, signal });
        const shown = rules.map(({ fires, ...rule }) => ({ ...rule, fires: fires.slice(-MOST) }));
        return { figures: figures.describe, ...report, rules: shown };
      } finally {
        figures.close();
      }
    },
  ),
];

const ROUTES = 'channels: { team: { slack: { webhook_secret: team } } }\ndefault: [team]\n';

/** The rules with the routes of the folder of the rules or, without any, with one channel. */
async function read(yaml: string, { options }: Pick<Call, 'options'>) {
  const routes = await readFile(join(options.rules, ROUTES_FILE), 'utf8').catch((error: unknown) => {
    if (isErrorCode(error, 'ENOENT')) return ROUTES;
    throw error;
  });
  return buildRuleSet(
    '',
    new Map([
      [RULES_FILE, yaml],
      [ROUTES_FILE, routes],
    ]),
  );
}

async function valid(yaml: string, call: Pick<Call, 'options'>): Promise<RuleSet> {
  const written = await read(yaml, call);
  if (written.kind === 'problems') throw refuseProblems(written.problems, 'the YAML');
  return written.ruleSet;
}

async function testResults(ruleSet: RuleSet, text: string, { clock }: Call) {
  const known = testsIn(parseYaml('', TESTS_FILE, text), TESTS_FILE, ruleSet);
  const results: Pick<TestResult, 'name' | 'outcome' | 'failures'>[] = [];
  for await (const { name, outcome, failures } of resultsOf(known, {
    file: TESTS_FILE,
    only: undefined,
    clock,
  }))
    results.push({ name, outcome, failures });
  return { passed: results.every(({ outcome }) => outcome === 'passed'), results };
}

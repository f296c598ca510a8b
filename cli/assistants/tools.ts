import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import * as z from 'zod';
import { parsed } from '../../functions/respond/api/endpoint.ts';
import { ENDPOINTS } from '../../functions/respond/api/endpoints.ts';
import { cursorOf } from '../../functions/respond/api/schemas.ts';
import { ATTRIBUTES, isAttributeName } from '../../shared/contract/attributes.ts';
import { ROUTES_FILE } from '../../shared/rule-files/shown-source.ts';
import { buildRuleSet } from '../../shared/rule-files/yaml-rule-files.ts';
import { parseYaml } from '../../shared/rule-files/yaml-source.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { InvalidRequestError, isErrorCode } from '../../shared/runtime/errors.ts';
import { usedLinksIn } from '../../shared/store/used-links.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import { backtest } from '../../workbench/backtest/backtest.ts';
import { ruleIn } from '../../workbench/explore/asked-rule.ts';
import { filesOf } from '../../workbench/explore/rule-files.ts';
import { DAYS, frequentValues } from '../../workbench/live-check/known-values.ts';
import { isNamed } from '../../workbench/live-check/mismatch-causes.ts';
import { testsIn } from '../../workbench/rule-tests/read-tests.ts';
import { resultsOf } from '../../workbench/rule-tests/test-rules.ts';
import { openFigures } from '../options/figures.ts';
import { type InstallationOptions, requireRule, withInstallation } from '../options/installation.ts';
import { openPast } from '../options/past.ts';
import type { FigureOptions } from '../options/project.ts';
import { refuseProblems } from '../options/read-rules.ts';
import { reportOf } from '../rules/check.ts';

export interface ToolOptions extends InstallationOptions, FigureOptions {
  rules: string;
}

/** `signal` aborts when the assistant no longer waits. */
interface Call {
  options: ToolOptions;
  clock: Clock;
  signal: AbortSignal;
}

interface Tool {
  description: string;
  input: z.ZodObject;
  run(asked: unknown, call: Call): Promise<object>;
}

/** Checks what was asked before `run`, which gets the parsed form. */
function tool<Shape extends z.ZodRawShape>(
  description: string,
  shape: Shape,
  run: (asked: z.output<z.ZodObject<Shape>>, call: Call) => Promise<object>,
): Tool {
  const input = z.strictObject(shape);
  return { description, input, run: async (asked, call) => run(parsed(input, asked), call) };
}

const MOST = 200;
const text = z.string().max(50_000);
const yaml = text.describe('A file of rules: "rules:" and a list of them.');
const app = z.string().min(1).max(64);
const attribute = z.enum(Object.keys(ATTRIBUTES).filter(isAttributeName).filter(isNamed));
const subject = {
  rule: z.string().describe('The id of the rule.'),
  segment: z.string().nullable().default(null).describe('null for a rule without segments.'),
};

export const TOOLS: Readonly<Record<string, Tool>> = {
  list_alerts: reading('listAlerts'),
  explain_alert: reading('getAlert'),
  read_series: reading('getSeries'),
  catalogue: tool(
    'The apps; of an app its events of the last 30 days with properties, or the values of an attribute.',
    { app: app.optional(), attribute: attribute.optional() },
    async ({ app, attribute }, { options, clock }) => {
      const now = clock.now();
      const ruleSet = { rules: app === undefined ? [] : [{ app }] };
      using figures = await openFigures(options, { ruleSet, from: now - DAYS * DAY_MS, to: now, clock });
      if (app === undefined) return { apps: await figures.apps() };
      const source = figures.sourceFor(app);
      const read = attribute === undefined ? await source.readCatalogue?.(app) : undefined;
      if (read?.kind === 'read') return { events: read.value.slice(0, MOST) };
      const asked = { app, attribute: attribute ?? 'event_name', zone: 'UTC' } as const;
      return { values: (await frequentValues(source, asked, now)).slice(0, MOST) };
    },
  ),
  check_rule: tool(
    'Checks rules as "deltawatch check" does: errors and likely mistakes, each with its line.',
    { yaml, live: z.boolean().default(false).describe('Also ask the data whether all names occur.') },
    async ({ yaml, live }, { options, clock }) => {
      const written = await read(yaml, options.rules);
      if (written.kind === 'problems') return { valid: false, problems: written.problems };
      const { findings } = await reportOf(written, { ...options, ...(live && { live }) }, clock);
      // Routes are not part of what was given.
      return { valid: true, findings: findings.filter(({ file }) => file === RULES_FILE) };
    },
  ),
  test_rule: tool(
    'Runs the tests of rules on invented figures, as "deltawatch test" does.',
    { yaml, tests: text.describe('A file of tests: "tests:" and a list of them.') },
    ({ yaml, tests }, call) => testResults(yaml, tests, call),
  ),
  backtest_rule: tool(
    'Replays past data: when would the rules have fired, and how many messages a month?',
    { yaml, days: z.int().min(1).max(90).default(60), until: z.iso.date().optional() },
    async ({ yaml, days, until }, { options, clock, signal }) => {
      const ruleSet = await valid(yaml, options.rules);
      const past = { ...options, days, ...(until !== undefined && { to: Date.parse(until) }) };
      const { figures, span } = await openPast(past, ruleSet, clock);
      using _ = figures;
      const { sourceFor, describe } = figures;
      const { rules, ...report } = await backtest({ ruleSet, span, sourceFor, clock, signal });
      const shown = rules.map(({ fires, ...rule }) => ({ ...rule, fires: fires.slice(-MOST) }));
      return { figures: describe, ...report, rules: shown };
    },
  ),
  propose_rule: tool(
    'Writes the YAML of a rule and its tests, and runs them. Nothing is saved.',
    {
      ...{ app, title: z.string().default(''), group: z.string().default('').describe('An attribute.') },
      watch: z.string().describe('An event, a metric, or two events as "purchase / view_item".'),
      filters: z
        .array(z.strictObject({ attribute, operator: z.string(), value: z.string() }))
        .max(3)
        .default([]),
      change: z.string().default('').describe('"-50%", "30%", or empty: outside the usual range.'),
      grain: z.enum(['day', 'hour']).default('day'),
    },
    async ({ filters, ...asked }, call) => {
      const numbered = filters.flatMap((each, i) =>
        Object.entries(each).map(([name, value]) => [`${name}${i + 1}`, value]),
      );
      const made = ruleIn({ ...asked, ...Object.fromEntries(numbered) }, [], []);
      if ('faults' in made) throw new InvalidRequestError(Object.values(made.faults).join('; '));
      const { rule: yaml, test: tests } = filesOf(made);
      return { yaml, tests, ...(await testResults(yaml, tests, call)) };
    },
  ),
};

/** An endpoint of the interface of alerts. Its links are paths of the page. */
function reading(name: string): Tool {
  const endpoint = ENDPOINTS.find((each) => each.name === name && each.method === 'get');
  if (!endpoint) throw new RangeError(`no endpoint ${name} reads`);
  const { summary: description, query, path } = endpoint;
  const isAlert = path.startsWith('/alerts/{id}');
  const named = z.object(isAlert ? subject : path.includes('{id}') ? { rule: subject.rule } : {});
  return {
    ...{ description, input: query.extend(named.shape) },
    run: (asked, { options, clock }) =>
      withInstallation(options, clock, async (installation) => {
        const { rule, segment = null } = z
          .record(z.string(), z.string().nullable())
          .parse(parsed(named, asked));
        if (rule) await requireRule(rule, installation);
        const id = isAlert ? cursorOf([rule ?? '', segment]) : (rule ?? '');
        const others = Object.entries(Object(asked)).filter(([name]) => !Object.hasOwn(named.shape, name));
        const { stores, table } = installation;
        const deps = { ...stores, used: usedLinksIn(table), publicUrl: '', newId: randomUUID, clock };
        const given = { query: Object.fromEntries(others), body: {}, id, by: '', once: '' };
        return z.looseObject({}).parse(await endpoint.run(given, deps));
      }),
  };
}

const RULES_FILE = 'rules.yaml';
const TESTS_FILE = 'rules.test.yaml';
const ROUTES = 'channels: { team: { slack: { webhook_secret: team } } }\ndefault: [team]\n';

/** The rules with the routes of the folder or, without any, with one channel. */
async function read(yaml: string, dir: string) {
  const routes = await readFile(join(dir, ROUTES_FILE), 'utf8').catch((error: unknown) => {
    if (isErrorCode(error, 'ENOENT')) return ROUTES;
    throw error;
  });
  return buildRuleSet('', new Map(Object.entries({ [RULES_FILE]: yaml, [ROUTES_FILE]: routes })));
}

async function valid(yaml: string, dir: string) {
  const written = await read(yaml, dir);
  if (written.kind === 'problems') throw refuseProblems(written.problems, 'the YAML');
  return written.ruleSet;
}

async function testResults(yaml: string, tests: string, { options, clock, signal }: Call) {
  const known = testsIn(parseYaml('', TESTS_FILE, tests), TESTS_FILE, await valid(yaml, options.rules));
  const tested = resultsOf(known, { file: TESTS_FILE, only: undefined, clock });
  // A test never waits, so nobody would hear that the assistant no longer does.
  const results = await Array.fromAsync(tested, (each) => setImmediate(each, { signal }));
  return { passed: results.every(({ outcome }) => outcome === 'passed'), results };
}

import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type ApplyParts, applyCommand } from '../../../cli/deploy/apply.ts';
import { planCommand } from '../../../cli/deploy/plan.ts';
import { createPage } from '../../../functions/respond/page/page.ts';
import { visitorsBy } from '../../../functions/respond/visitors.ts';
import { configSchema } from '../../../shared/config/config.ts';
import type { Project } from '../../../shared/config/load-config.ts';
import { RESTLESS_RULES } from '../../fixtures/deltawatch.ts';
import { listen } from '../../fixtures/loopback-server.ts';
import { NOW } from '../../functions/respond/desk.ts';
import { onRunning } from '../operated.ts';

const { clock, stores, run, folder, said } = onRunning();

let rules: string;
beforeEach(async () => {
  rules = join(folder(), 'rules');
  await cp(RESTLESS_RULES, rules, { recursive: true });
});

const apply = (ask: ApplyParts['ask'], ...args: string[]) =>
  run(applyCommand({ clock, ask }), '--rules', rules, '--as', 'ada', ...args);

/** Adds a rule to the folder. */
const addRule = () =>
  writeFile(
    join(rules, 'more.yaml'),
    'rules: [{ id: more, title: More, app: demo, owner: team, every: hour at :05, metric: sessions, anomaly: fall }]\n',
  );

test('apply shows the plan and deploys the rules after a yes', async () => {
  const asked: string[] = [];
  const printed = await apply(async (question) => asked.push(question) > 0);
  expect(asked).toEqual(['Deploy these rules?']);
  expect(printed).toMatch(/Added\n {2}\+ .*\nRules: 3 added, 0 changed, 0 removed, 0 unchanged\./s);
  expect(printed).toContain('3 rules deployed.\nThe Deltawatch on this machine loads them within a minute.');
  expect(await stores().rules.findCurrent()).toMatchObject({ sinceAt: NOW, by: 'ada' });
  const again = await apply(() => Promise.reject(new Error('it asked')));
  expect(again).toMatch(
    /^Nothing would change: these rules are deployed since 2026-03-03 09:00 UTC, by\n {2}ada\.$/,
  );
});

test('apply links rules to their lines in the repository, also if only a line has moved', async () => {
  const applyFrom = async (repository?: string) => {
    const config = configSchema.parse({ ...(repository !== undefined && { repository }) });
    const project: Project = { dir: folder(), file: undefined, config };
    const command = applyCommand({ clock, ask: undefined });
    command.setOptionValueWithSource('project', project, 'config');
    await run(command, '--rules', rules, '--as', 'ada', '--yes');
  };
  const page = createPage({
    ...stores(),
    newId: () => 'id',
    visitors: visitorsBy({ kind: 'open' }, 'http://localhost', clock),
  });
  const shown = async () => (await page.request('/rules/searches')).text();
  const lineOf = async () => {
    const lines = (await readFile(join(rules, 'demo.yaml'), 'utf8')).split('\n');
    return lines.indexOf('  - id: searches') + 1;
  };
  const repository = 'https://github.com/acme/shop/blob/main';
  const link = (line: number) => `<a href="https://github.com/acme/shop/blob/main/rules/demo.yaml#L${line}"`;

  await applyFrom(repository);
  const before = await lineOf();
  expect(await shown()).toContain(link(before));
  const { version } = (await stores().rules.findCurrent()) ?? {};
  await writeFile(
    join(rules, 'demo.yaml'),
    `# A comment.\n${await readFile(join(rules, 'demo.yaml'), 'utf8')}`,
  );
  await applyFrom(repository);
  expect(await lineOf()).toBe(before + 1);
  expect(await shown()).toContain(link(before + 1));
  expect(await stores().rules.findCurrent()).toMatchObject({ version });
  await applyFrom();
  expect(await shown()).not.toContain('github.com');
});

test('apply changes nothing after a no, or without a terminal and --yes', async () => {
  await apply(async () => false);
  expect(said()).toContain('Nothing was changed.');
  expect(process.exitCode).toBe(1);
  await expect(apply(undefined)).rejects.toThrow(/--yes/);
  expect(await stores().rules.findCurrent()).toBeUndefined();
});

test('apply --yes --json does not ask, and prints one document', async () => {
  const done: unknown = JSON.parse(await apply(undefined, '--yes', '--json'));
  expect(done).toMatchObject({ outcome: 'saved', plan: { from: null, unchanged: 0 } });
  await addRule();
  const then: unknown = JSON.parse(await apply(undefined, '--yes', '--json'));
  const [rules, cadences] = ['more', 'every hour at :05 (UTC)'].map((name) => [{ name, change: 'added' }]);
  expect(then).toMatchObject({ plan: { rules, unchanged: 3, cadences } });
});

test('apply rejects a confirmed plan that another deployment overtook', async () => {
  const meanwhile = async () => {
    await addRule();
    await apply(undefined, '--yes');
    return true;
  };
  await expect(apply(meanwhile)).rejects.toThrow(/other rules were deployed in the meantime/);
  expect((await stores().rules.loadCurrent())?.rules.map(({ id }) => id)).toContain('more');
});

test('plan reports changes as text or exit code, and deploys nothing', async () => {
  await apply(undefined, '--yes');
  await addRule();
  const plan = (...args: string[]) => run(planCommand(clock), '--rules', rules, ...args);
  expect(await plan()).toContain('Schedules\n  + every hour at :05 (UTC)');
  expect(process.exitCode).toBeUndefined();
  await plan('--exit-code');
  expect(process.exitCode).toBe(3);
  expect((await stores().rules.loadCurrent())?.rules).toHaveLength(3);
});

test('plan --live asks Trino how much the rules read, and warns above the budget', async () => {
  const types = { event_name: 'varchar', user_id: 'varchar', recorded_at: 'timestamp(3)' };
  const columns = Object.entries(types).map(([name, type]) => ({ name, type }));
  let bytes = 3e9;
  await using trino = await listen((_request, _body, response) => {
    response.end(
      JSON.stringify({ columns, data: [], stats: { state: 'FINISHED', physicalInputBytes: bytes } }),
    );
  });
  vi.stubEnv('DELTAWATCH_SECRET_TRINO', trino.url);
  onTestFinished(() => void vi.unstubAllEnvs());
  const events = { table: 'log', columns: Object.fromEntries(columns.map(({ name }) => [name, name])) };
  const plan = async (budget: object) => {
    const sql = { engine: 'trino', urlSecret: 'trino', apps: { demo: { events } }, ...budget };
    const config = configSchema.parse({ figures: { sql } });
    const command = planCommand(clock);
    command.setOptionValueWithSource('project', { dir: folder(), file: undefined, config }, 'config');
    await run(command, '--rules', rules, '--live');
    return said().replaceAll(/\s+/g, ' ');
  };
  const reads = /one run of all rules: (\d) questions, \d+ GB; [\d.,]+ GB a day at their cadences/;
  expect(await plan({})).toMatch(reads);
  expect(said()).not.toContain('warning');
  expect(await plan({ gigabytesPerDay: 1 })).toMatch(
    /warning: the rules read about [\d.,]+ GB a day, and gigabytesPerDay of figures.sql is 1; .* Most of it: [\w-]+ and the rules/,
  );
  bytes = 0;
  expect(await plan({})).toContain(
    'How much the rules read is unknown: your tables in Trino did not tell it.',
  );
});

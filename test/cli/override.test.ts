import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest';
import { overrideCommand } from '../../cli/override.ts';
import { openLocalTable } from '../../local/table.ts';
import { dynamodbRuleStore } from '../../shared/adapters/dynamodb-rule-store.ts';
import type { Rule } from '../../shared/alerting/rule.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { HOUR, MONDAY, ruleNamed, ruleSetOf } from '../fixtures/builders.ts';
import { type Folder, temporaryFolder } from '../fixtures/deltawatch.ts';

const NOW = MONDAY + 9 * HOUR;
const sales = ruleNamed('sales', { recover: { change: { below: '-10%' } } });

let folder: Folder;
let clock: ManualClock;
let printed: string[];
let said: string[];
beforeEach(async () => {
  folder = await temporaryFolder();
  clock = new ManualClock(NOW);
  await deploy(sales, ruleNamed('visits'));
  [printed, said] = [[], []];
  vi.spyOn(console, 'log').mockImplementation((text: string) => printed.push(...text.split('\n')));
  vi.spyOn(console, 'error').mockImplementation((text: string) => said.push(...text.split('\n')));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await folder[Symbol.asyncDispose]();
});

async function deploy(...rules: Rule[]): Promise<void> {
  const table = await openLocalTable(clock, `${folder.path}/table`);
  await dynamodbRuleStore(table).save({ ...ruleSetOf(...rules), version: JSON.stringify(rules) });
  await table.close();
}

const run = (...args: string[]) =>
  overrideCommand(clock).parseAsync([...args, '--state', folder.path], { from: 'user' });
const lower = ['--fire', 'change.below=-60%', '--as', 'ada', '--reason', 'a sale ends'];

/** What was printed, without the breaks of lines. */
const joined = () => printed.join(' ').replaceAll(/ +/g, ' ');

async function listed(...args: string[]): Promise<Record<string, unknown>[]> {
  printed = [];
  await run('list', '--json', ...args);
  return JSON.parse(printed.join('\n'));
}

describe('override RULE', () => {
  it('says what holds instead of what, by whom, until when and why', async () => {
    await run('sales', ...lower, '--recover', 'change.below=-40%', '--minimum', 'current=200', '--for', '3d');
    expect(printed.filter((line) => line.length > 80)).toEqual([]);
    expect([joined()]).toEqual([
      'sales: bounds overridden by ada until Thu 5 Mar 2026, 09:00 (UTC): a sale ends; fire change below -60 % instead of -30 %; recover change below -40 % instead of -10 %; minimum current 200 instead of 0',
    ]);
    expect(await listed()).toEqual([
      {
        rule: 'sales',
        state: 'in force',
        instead: {
          fire: { change: { below: -0.6 } },
          recover: { change: { below: -0.4 } },
          minimum: { current: 200 },
        },
        bounds:
          'fire change below -60 % instead of -30 %; recover change below -40 % instead of -10 %; minimum current 200 instead of 0',
        at: '2026-03-02T09:00:00.000Z',
        until: '2026-03-05T09:00:00.000Z',
        by: 'ada',
        reason: 'a sale ends',
      },
    ]);
  });

  it('takes the place of what somebody said before, and names them', async () => {
    await run('sales', ...lower, '--for', '3d');
    clock.advanceTo(NOW + HOUR);
    await run('sales', ...lower, '--as', 'bo', '--until', '2026-03-03');
    expect(joined()).toMatch(/in the place of what ada had said$/);
    expect((await listed('--all')).map(({ by, state }) => [by, state])).toEqual([
      ['bo', 'in force'],
      ['ada', 'displaced'],
    ]);
  });

  it('is called set where a rule has the name of another word', async () => {
    await deploy(ruleNamed('list'));
    await run('set', 'list', ...lower, '--for', '1h');
    expect(await listed()).toMatchObject([{ rule: 'list' }]);
  });

  test.each([
    [
      'of no rule',
      ['sale', '--for', '1h'],
      /^there is no rule "sale" in force \(this machine, in .*\); did you mean "sales"\?$/,
    ],
    ['that ends before it begins', ['sales', '--until', '2026-03-01'], 'an override ends in the future'],
    ['for too long', ['sales', '--for', '31d'], 'an override lasts 30 days at most'],
    ['without an end', ['sales'], 'say for how long with --for, or until when with --until'],
  ])('%s is refused', async (_, args, message) => {
    await expect(run(...args, ...lower)).rejects.toThrow(message);
    expect(await listed('--all')).toEqual([]);
  });

  test.each([
    ['--fire', 'change.bellow=-60%', 'Did you mean "change.below"?'],
    ['--fire', 'change.below', 'Write one of change.above, change.below'],
    ['--fire', 'change.below=-60', 'A change is a percentage with its sign: 50% or -60%.'],
    ['--recover', 'difference.below=few', 'Its value is a number, such as 200 or -12.5.'],
    ['--minimum', 'current=-1', 'A minimum is 0 or more.'],
    ['--minimum', 'currant=1', 'Did you mean "current"?'],
    ['--reason', ' ', 'Write why, in a few words.'],
  ])('%s %s says what can be written', async (option, value, hint) => {
    await expect(run('sales', ...lower, '--for', '1h', option, value)).rejects.toThrow(hint);
  });
});

describe('override list and end', () => {
  it('show nothing where all rules are judged by their own bounds', async () => {
    await run('list');
    expect(printed).toEqual(['no overrides: all rules are judged by their own bounds']);
  });

  it('show what holds in 80 columns, and what ended only when asked', async () => {
    await run('sales', ...lower, '--for', '3d');
    await run('visits', ...lower, '--for', '1h');
    printed = [];
    await run('list');
    expect(printed).toEqual([
      'RULE    STATE     UNTIL                 BY',
      'visits  in force  2026-03-02 10:00 UTC  ada',
      '  fire change below -60 % instead of -30 %',
      '  a sale ends',
      'sales   in force  2026-03-05 09:00 UTC  ada',
      '  fire change below -60 % instead of -30 %',
      '  a sale ends',
    ]);
    clock.advanceTo(NOW + HOUR);
    expect((await listed()).map(({ rule }) => rule)).toEqual(['sales']);
    expect((await listed('--all')).map(({ rule, state }) => [rule, state])).toEqual([
      ['sales', 'in force'],
      ['visits', 'over'],
    ]);
  });

  it('end what holds at once, and say whose it was', async () => {
    await run('sales', ...lower, '--for', '3d');
    clock.advanceTo(NOW + HOUR);
    await run('end', 'sales');
    expect(joined()).toContain(
      'sales: its own bounds hold for the next run; those of ada would have held until Thu 5 Mar 2026, 09:00 (UTC)',
    );
    expect(await listed()).toEqual([]);
    await expect(run('end', 'sales')).rejects.toThrow('the bounds of sales are its own');
  });

  it('say that a deployment has made the rule another', async () => {
    await run('sales', ...lower, '--for', '3d');
    await deploy({ ...sales, confidence: 0.95 });
    expect(await listed()).toEqual([]);
    expect(await listed('--all')).toMatchObject([{ rule: 'sales', state: 'outdated' }]);
  });
});

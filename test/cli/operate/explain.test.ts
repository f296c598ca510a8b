import { afterEach, describe, expect, it, vi } from 'vitest';
import { explainCommand } from '../../../cli/operate/explain.ts';
import { explanationLines } from '../../../cli/operate/explain-text.ts';
import { buildRule, ruleSetEntrySchema } from '../../../shared/rules/rule.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { alertStoreIn } from '../../../shared/store/alert-store.ts';
import { ruleStoreIn } from '../../../shared/store/rule-store.ts';
import { openSqliteTable } from '../../../shared/store/sqlite-table.ts';
import { explainRule } from '../../../workbench/explain/explain-rule.ts';
import { alertOf, dayAt, evaluationOf, MONDAY, ruleNamed, ruleSetOf } from '../../fixtures/builders.ts';
import { temporaryFolder } from '../../fixtures/deltawatch.ts';
import { createWorld, type WorldOptions } from '../../functions/world.ts';

const sales = ruleNamed('sales', { title: 'Sales', recover: { change: { below: '-10%' } } });
const normal = (day: number) => (day % 2 ? 1030 : 970);
afterEach(() => vi.restoreAllMocks());

async function linesAfter(figure: WorldOptions['figure'], rule = sales, segment?: string): Promise<string[]> {
  const world = createWorld({ rules: [rule], figure, segments: ['DE', 'a\u001b[31mb'] });
  await world.ticks(0, 20);
  const now = world.clock.now();
  const explanation = await explainRule({ ruleId: 'sales', segment, now }, world);
  return explanationLines(explanation, rule, now);
}

describe('explain', () => {
  it('prints the verdict and its reasons in 80 columns', async () => {
    const lines = await linesAfter((day) => (day === 20 ? 500 : normal(day)));
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(`\n${lines.join('\n')}\n`.replaceAll(/[0-9a-f]{16}/g, 'HASH')).toMatchInlineSnapshot(`
      "
      sales: Sales
        shop watches demo, each day of UTC; fires at change below -30%; stays open at
          change below -10%.
        Rule hash: HASH.HASH, in rule set 7e63c5fad20e.
        State: firing since Sun 22 Mar 2026, 00:00 (UTC); evaluated through Mon 23 Mar
          2026, 00:00 (UTC).

      Sun 22 Mar 2026 (UTC): breached, decided by threshold
        Due at Mon 23 Mar 2026, 01:00 (UTC).
        It breaches below 721, if the volume and significance gates pass; is 500
          events.

      GATE               WHY
      settled       yes  closed at Mon 23 Mar 2026, 00:00 (UTC), settled for 10
                         minutes
      fresh         yes  the data are complete up to the end of the window
      volume        yes  enough volume: 500, compared with 1,030
      threshold     yes  500 compared with 1,030 (-51.5%) crosses the threshold
                         (change below -30%)
      significance  yes  a change this large happens by chance about once in 1,800
                         days; usual variation ±7.7% (from 56 earlier days)

      Now: 500 events on Sun 22 Mar 2026 (UTC)
      Before: 1,030 events on Sat 21 Mar 2026 (UTC)
      Difference: 530 fewer (-51.5%)
      READINGS                  USE           READ (UTC)
        Sun 22 Mar 2026    500  the window    03-23 01:00
        Sat 21 Mar 2026  1,030  baseline      03-22 01:00

      Sent: fired to team, Mon 23 Mar 2026, 01:00 (UTC), 1 hour after the window
      "
    `);
  });

  it('explains a composite rule by its members', async () => {
    const words = { id: 'both', title: 'Both', app: 'demo', owner: 'shop', every: 'day at 01:00' };
    const both = buildRule(ruleSetEntrySchema.parse({ ...words, any_of: ['sales', 'visits'] }));
    const visits = ruleNamed('visits', { compare: { to: 'same_weekday' } });
    const world = createWorld({
      rules: [sales, visits, both],
      figure: (day) => (day === 20 ? 500 : normal(day)),
    });
    await world.ticks(0, 20);
    const now = world.clock.now();
    const lines = explanationLines(await explainRule({ ruleId: 'both', now }, world), both, now);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.map((line) => line.replaceAll(/[0-9a-f]{16}/g, 'HASH'))).toMatchInlineSnapshot(`
      [
        "both: Both",
        "  shop watches demo, each day of UTC; fires while one of sales, visits fires.",
        "  Rule hash: HASH.HASH, in rule set a75be13713c1.",
        "  State: firing since Sun 22 Mar 2026, 00:00 (UTC); evaluated through Mon 23 Mar",
        "    2026, 00:00 (UTC).",
        "",
        "Sun 22 Mar 2026 (UTC): breached",
        "  2 of 2 rules are firing",
        "  Due at Mon 23 Mar 2026, 01:00 (UTC).",
        "",
        "GATE               WHY",
        "settled       yes  closed at Mon 23 Mar 2026, 00:00 (UTC), settled for 10",
        "                   minutes",
        "member        yes  Sales fell from 1,030 to 500 events (-51.5%)",
        "member        yes  The rule visits fell from 1,030 to 500 events (-51.5%)",
        "",
        "RULE                      STATE   VERDICT   BEFORE  NOW  CHANGE",
        "sales                     firing  breached   1,030  500  -51.5%",
        "visits                    firing  breached   1,030  500  -51.5%",
        "",
        "Sent: fired to team, Mon 23 Mar 2026, 01:00 (UTC), 1 hour after the window",
      ]
    `);
  });

  it('prints the changes of a window and of sums that are an anomaly', async () => {
    const rule = ruleNamed('sales', { compare: undefined, fire: undefined, anomaly: true });
    const lines = await linesAfter(normal, rule);
    expect(lines.join(' ')).toMatch(
      /Anomaly from: -[\d.]+% or \+[\d.]+% in one day; +-[\d.]+% or \+[\d.]+% in +each of 3 days/,
    );
  });

  it('describes a rule that was never evaluated', async () => {
    const world = createWorld({ rules: [sales], figure: normal });
    await world.rules.save(ruleSetOf(sales));
    const explanation = await explainRule({ ruleId: 'sales', now: world.clock.now() }, world);
    const said = explanationLines(explanation, sales, world.clock.now()).join('\n');
    expect(said).toMatch(/\n {2}Rule hash: [0-9a-f.]+, in rule set/);
    expect(said).toContain('\n  It was never evaluated.');
    expect(said).not.toContain('The rule changed since');
  });

  it('prints no terminal escapes', async () => {
    const rule = { ...ruleNamed('sales', { group_by: 'device_country' }), title: 'a\u001b[2Jb' };
    const lines = await linesAfter(normal, rule);
    expect(lines.join('\n')).not.toContain('\u001b');
    expect(lines[0]).toBe('sales: a%1B[2Jb');
  });

  it('prints one JSON document with times in ISO 8601', async () => {
    await using folder = await temporaryFolder();
    const clock = new ManualClock(MONDAY);
    const table = openSqliteTable(`${folder.path}/table.sqlite`, clock);
    await ruleStoreIn(table).save(ruleSetOf(sales));
    const last = evaluationOf(0, { difference: 0, change: 0 });
    await alertStoreIn(table).save(alertOf(sales, { evaluatedThroughAt: dayAt(0).endAt, last }));
    await table.close();
    const printed: string[] = [];
    vi.spyOn(console, 'log').mockImplementation((text: string) => printed.push(text));
    await explainCommand(clock).parseAsync(['sales', '--json', '--state', folder.path], { from: 'user' });
    expect(JSON.parse(printed.join('\n'))).toMatchObject({
      rule: { id: 'sales' },
      alert: { state: 'normal', evaluatedThroughAt: '2026-03-03T00:00:00.000Z' },
      evaluated: {
        window: { startAt: '2026-03-02T00:00:00.000Z', endAt: '2026-03-03T00:00:00.000Z' },
        dueAt: '2026-03-03T01:00:00.000Z',
      },
    });
  });
});

import { describe, expect, it, test } from 'vitest';
import { meaningOf } from '../../../shared/readings/series.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { explainRule } from '../../../workbench/explain/explain-rule.ts';
import { dayAt, ruleNamed } from '../../fixtures/builders.ts';
import { createWorld, type WorldOptions } from '../../functions/world.ts';

const normal = (day: number) => (day % 2 ? 1030 : 970);
const sales = ruleNamed('sales', { restate_for: '2 days', recover: { change: { below: '-10%' } } });

type Figure = WorldOptions['figure'];
const falls: Figure = (day) => (day === 20 ? 500 : normal(day));

async function worldAfter(day: number, figure: Figure = falls, rule = sales) {
  const world = createWorld({ rules: [rule], figure, segments: ['DE', 'FR'] });
  await world.ticks(0, day);
  return world;
}

const explained = (
  world: Awaited<ReturnType<typeof worldAfter>>,
  asked: { segment?: string; at?: number; ruleId?: string } = {},
) => explainRule({ ruleId: 'sales', now: world.clock.now(), ...asked }, world);

describe('explain', () => {
  it('evaluates a window without a stored verdict from its stored readings', async () => {
    const { evaluated } = await explained(await worldAfter(25), { at: dayAt(20).endAt + 5 * HOUR_MS });
    expect(evaluated).toMatchObject({
      window: dayAt(20),
      from: 'made again',
      evaluation: { verdict: 'breached', current: { value: 500 } },
    });
  });

  it.each([
    ['before the run that evaluates the last one', 'day at 06:00', 20, 5, 19],
    ['at that run', 'day at 06:00', 20, 6, 20],
    ['on a day without a run', 'monday and thursday at 06:00', 18, 12, 16],
  ])('selects the window that was due last: %s', async (_, every, day, hour, due) => {
    const rule = ruleNamed('sales', { every, window: 'day' });
    const world = createWorld({ rules: [rule], figure: normal });
    for (let each = 0; each <= 21; each++) await world.tickAt(dayAt(each).endAt + 6 * HOUR_MS);
    const { evaluated } = await explained(world, { at: dayAt(day).endAt + hour * HOUR_MS });
    expect(evaluated?.window).toEqual(dayAt(due));
  });

  it('reports that the rule changed since the evaluation', async () => {
    const world = await worldAfter(20);
    const stricter = { ...sales, confidence: 0.999 };
    await world.rules.save({ version: 'v2', rules: [stricter], routes: (await ruleSetIn(world)).routes });
    const { alert, rule } = await explained(world);
    expect(alert?.meaning).toBe(meaningOf(sales));
    expect(rule).toMatchObject({ meaning: meaningOf(stricter), version: 'v2' });
  });

  test.each([
    [{ ruleId: 'sale' }, 'there is no rule "sale" deployed; did you mean "sales"?'],
    [{ segment: 'DE' }, 'sales has no segments: omit --segment'],
    [{ at: dayAt(90).endAt }, '--at must be in the past'],
    [{ at: dayAt(-90).endAt }, 'nothing is stored for'],
  ])('refuses %o', async (asked, message) => {
    await expect(explained(await worldAfter(3), asked)).rejects.toThrow(message);
  });
});

describe('explain a rule with segments', () => {
  const byCountry = ruleNamed('sales', { group_by: 'device_country' });
  const onlyFrance: Figure = (day, { segment }) => (day === 20 && segment === 'FR' ? 300 : normal(day));

  it('lists them with their verdicts, most severe first', async () => {
    const explanation = await explained(await worldAfter(20, onlyFrance, byCountry));
    expect(explanation.evaluated).toBeNull();
    expect(explanation.segments).toMatchObject([
      { segment: 'FR', state: 'firing', verdict: 'breached', current: 300, baseline: 1030 },
      { segment: 'DE', state: 'normal', verdict: 'clear', current: 970, baseline: 1030 },
    ]);
  });

  it('explains one of them as it was evaluated among the others', async () => {
    const { evaluated } = await explained(await worldAfter(20, onlyFrance, byCountry), { segment: 'FR' });
    expect(evaluated).toMatchObject({ decisive: 'threshold' });
    expect(evaluated?.evaluation.gates.find(({ gate }) => gate === 'family')?.figures).toMatchObject({
      tested: 2,
    });
  });
});

async function ruleSetIn({ rules }: Pick<Awaited<ReturnType<typeof worldAfter>>, 'rules'>) {
  const ruleSet = await rules.loadCurrent();
  if (!ruleSet) throw new Error('no rules');
  return ruleSet;
}

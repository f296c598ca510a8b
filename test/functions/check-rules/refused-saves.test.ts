import { expect, it } from 'vitest';
import { buildRule, ruleSetEntrySchema } from '../../../shared/rules/rule.ts';
import { UpstreamError } from '../../../shared/runtime/errors.ts';
import { ruleNamed } from '../../fixtures/builders.ts';
import { createWorld } from '../world.ts';

const falls = { fire: { change: { below: '-50%' } } };
const bySegment = ruleNamed('by-country', { ...falls, group_by: 'device_country' });
const sales = ruleNamed('sales', falls);
const sessions = ruleNamed('sessions', { ...falls, metric: 'sessions', filters: [] });

it('an alert that cannot be saved makes its rule failing, and does not affect other rules', async () => {
  const world = createWorld({
    rules: [bySegment, sales, sessions],
    segments: ['Malta', 'Cyprus'],
    figure: (day) => (day < 20 ? 1000 : 100),
  });
  await world.ticks(0, 18);
  const { save } = world.alerts;
  world.alerts.save = async (alert) => {
    if (alert.segment === 'Malta')
      throw new UpstreamError('DynamoDB refused: ValidationException', { retryable: false });
    return await save(alert);
  };
  await world.ticks(19, 20);
  expect(world.notified()).toEqual(
    expect.arrayContaining([
      'failing by-country',
      'fired sales',
      'fired sessions',
      'fired by-country [Cyprus]',
    ]),
  );
  const [failing] = world.channel.sent.flatMap(({ items }) =>
    items.filter(({ transition }) => transition === 'failing'),
  );
  expect(failing?.summary).toContain(
    'n alert of the rule cannot be saved: DynamoDB refused: ValidationException',
  );

  world.alerts.save = save;
  await world.ticks(21, 21);
  expect(world.notified()).toEqual(expect.arrayContaining(['fired by-country [Malta]']));
  expect(await world.alerts.load([{ ruleId: 'by-country', segment: null }])).toMatchObject([
    { health: { kind: 'ok' } },
  ]);
});

it('a rule that cannot be saved at all is counted, and does not affect other rules', async () => {
  const either = buildRule(
    ruleSetEntrySchema.parse({
      ...{ id: 'either', title: 'Either', app: 'demo', owner: 'shop', every: 'day at 01:00' },
      any_of: ['sales', 'sessions'],
    }),
  );
  const world = createWorld({
    rules: [bySegment, sales, sessions, either],
    segments: ['Malta', 'Cyprus'],
    figure: (day) => (day < 20 ? 1000 : 100),
  });
  await world.ticks(0, 18);
  const { save } = world.alerts;
  const refused = new Set(['sales', 'either', 'app:demo']);
  world.alerts.save = async (alert) => {
    if (refused.has(alert.ruleId)) throw new UpstreamError('the item is too large', { retryable: false });
    return await save(alert);
  };
  await world.ticks(19, 20);
  expect(world.notified()).toEqual(expect.arrayContaining(['fired sessions', 'fired by-country [Malta]']));
  expect(world.counted).toMatchObject({ AlertsUnsaved: 5, Evaluations: 85 });
  refused.add('by-country');
  await world.ticks(21, 22);
  expect(world.counted).toMatchObject({ AlertsUnsaved: 13, Evaluations: 94 });
});

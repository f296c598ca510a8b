import { expect, test } from 'vitest';
import type { Override } from '../../../../shared/alerting/overrides.ts';
import { meaningOf } from '../../../../shared/alerting/series.ts';
import { evaluationOf, HOUR, ROUTES, ruleNamed, ruleSetOf, value } from '../../../fixtures/builders.ts';
import { createScene, firing, HOSTILE, NOW } from './scene.ts';

const rule = ruleNamed('sales', { zone: 'Europe/Berlin' });

function overrideOf(overrides: Partial<Override> = {}): Override {
  return {
    ruleId: 'sales',
    meaning: meaningOf(rule),
    instead: { fire: { change: { below: -0.6 } } },
    at: NOW - HOUR,
    untilAt: NOW + 6 * HOUR,
    by: 'ada',
    reason: `a sale ${HOSTILE}`,
    ...overrides,
  };
}

async function sceneWith(...overrides: Override[]) {
  const scene = createScene();
  await scene.rules.save({ ...ruleSetOf(rule), routes: ROUTES });
  for (const override of overrides) await scene.overrides.save(override);
  return scene;
}

test('the page of a rule tells by whose word it is judged otherwise, until when and why', async () => {
  const scene = await sceneWith(overrideOf());
  const { text, html } = await scene.get('/rules/sales');
  expect(text).toContain('Bounds overridden by ada until Thu 5 Mar 2026, 10:00 (Europe/Berlin), in 6 hours');
  expect(text).toContain('It is judged by fire change below -60 % instead of -30 %');
  expect(html).not.toContain('<img src=x');
});

test.each([
  ['that is over', { untilAt: NOW }],
  ['of what the rule meant before', { meaning: 'watched.otherwise' }],
])('an override %s is not told', async (_, overrides) => {
  const scene = await sceneWith(overrideOf(overrides));
  expect((await scene.get('/rules/sales')).text).not.toContain('overridden');
});

test('what was judged by other bounds says so for ever', async () => {
  const scene = await sceneWith();
  const { ruleId: _, meaning: __, ...override } = overrideOf({ reason: 'a sale' });
  const last = evaluationOf(2, { current: value(50), difference: -50, change: -0.5, override });
  await scene.alerts.save(firing(rule, { ruleHash: meaningOf(rule), last }));
  const { text } = await scene.get('/alerts/sales');
  expect(text).toContain(
    'Bounds fire change below -60 % instead of -30 %, by ada until Thu 5 Mar 2026, 10:00 (Europe/Berlin)',
  );
});

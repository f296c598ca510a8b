import { expect, test } from 'vitest';
import { callDrill } from '../../../../shared/alerting/drill-debts.ts';
import { ruleNamed, ruleSetOf } from '../../../fixtures/builders.ts';
import { createScene, deliveryOf, NOW } from './scene.ts';

const drill = { route: 'default', channels: ['team'], by: 'Anna', reason: '', severity: 'critical' } as const;

async function called() {
  const scene = createScene();
  await scene.rules.save(ruleSetOf(ruleNamed('purchases')));
  const alert = callDrill(undefined, { ...drill, channels: ['team'], at: NOW });
  await scene.alerts.save(alert);
  const keys = Object.keys(alert.owed).map((key) => key.replace(/team$/, ''));
  await scene.deliveries.save(
    deliveryOf({ at: NOW, title: 'Fire drill: nothing is wrong', keys, alerts: 1 }),
  );
  return scene;
}

test('a drill shows among the deliveries as what it is, and leads to no alert', async () => {
  const { html, text } = await (await called()).get('/deliveries');
  expect(text).toContain('Fire drill of the route default drill team');
  expect(text).toContain('Fire drill: nothing is wrong');
  expect(html).not.toContain('/alerts/drill');
});

test.each(['/alerts', '/health'])('a drill is nowhere on %s', async (path) => {
  expect((await (await called()).get(path)).text).not.toMatch(/drill/i);
});

test('a drill makes nothing wrong on the first page', async () => {
  const { html } = await (await called()).get('/');
  expect(html).not.toContain('/alerts/drill');
  expect(html).not.toMatch(/class="badge bad"/);
});

import { listen } from '../../../../local/http-server.ts';
import { newAppAlert } from '../../../../shared/alerts/app-alert.ts';
import { DAY_MS } from '../../../../shared/units/durations.ts';
import { firing, NOW } from '../desk.ts';
import { HOSTILE } from '../page/scene.ts';
import { openService, PARTS, sqlite } from './alerts-desk.ts';

// The interface of alerts for a fuzzer: HTTP and SQLite, without limits. Prints its address and a token that may answer.
// Its alerts begin again after some requests, so that some fire, whatever was answered.

const REQUESTS = 50;

const unlimited = { allowed: true, limit: 1, remaining: 1, resetSeconds: 1 };
const { desk, alerts, notes, silences, answer } = await openService(sqlite(), {
  limiter: { admit: async () => unlimited },
});
const said = { by: 'Anna', at: NOW, reason: HOSTILE };
const firingAlerts = [
  ...[firing(), firing(PARTS, { segment: 'Malta' }), firing(PARTS, { segment: '' })],
  firing(PARTS, { segment: HOSTILE, acknowledged: said, flappingSinceAt: NOW }),
  firing(PARTS, { segment: '\ud800', snoozed: { ...said, untilAt: null } }),
  { ...newAppAlert('shop/eu'), state: 'firing' as const, stateSinceAt: NOW },
];
const beginAgain = async () => {
  for (const alert of firingAlerts) {
    const [{ revision } = { revision: 0 }] = await alerts.load([alert]);
    await alerts.save({ ...alert, revision });
  }
};

for (const id of ['first', 'second']) {
  await notes.save({ id, text: HOSTILE, app: null, at: NOW, by: 'data' });
  const span = { fromAt: NOW + DAY_MS, untilAt: NOW + 2 * DAY_MS };
  await silences.save({ id, match: { app: ['x', '*'], segment: { is: '' } }, ...span, ...said });
}
let count = 0;
const { url } = await listen(
  async (request) => {
    if (count % REQUESTS === 0) await beginAgain();
    count += 1;
    return desk.app.fetch(request);
  },
  { host: '127.0.0.1', port: 0 },
);
console.log(`${url} ${answer}`);

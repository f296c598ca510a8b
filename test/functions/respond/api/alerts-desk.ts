import { KEY_BYTES, mintKey } from '../../../../shared/access/api-key.ts';
import { ManualClock } from '../../../../shared/runtime/clock.ts';
import { inMemoryStores } from '../../../../shared/store/in-memory/stores.ts';
import { openSqliteTable } from '../../../../shared/store/sqlite-table.ts';
import { storesIn } from '../../../../shared/store/stores.ts';
import { alertOf, ruleNamed, ruleSetOf } from '../../../fixtures/builders.ts';
import { firing, NOW, openDesk, RULE, URL_ROOT } from '../desk.ts';
import { clientOf } from './client.ts';

export const PARTS = ruleNamed('parts', {
  title: 'Parts',
  group_by: 'device_country',
  severity: 'critical',
  app: 'web',
});
export const QUIET = ruleNamed('quiet', { title: 'Quiet', owner: 'checkout' });
const silent = { info: () => {}, warn: () => {}, error: () => {} };

/** The rules `sales`, which fires, `parts`, which fires in two countries, and `quiet`, which does not. */
export async function openService(stores = inMemoryStores(), overrides: Parameters<typeof openDesk>[0] = {}) {
  const clock = new ManualClock(NOW);
  await stores.rules.save(ruleSetOf(RULE, PARTS, QUIET));
  for (const alert of [firing(), firing(PARTS, { segment: 'Malta' }), firing(PARTS, { segment: 'Peru' })])
    await stores.alerts.save(alert);
  await stores.alerts.save(alertOf(QUIET));
  const desk = await openDesk({ ...stores, clock, ...overrides });
  let seed = 0;
  const mint = async (
    scope: 'read' | 'answer' | undefined,
    about: { name?: string; expiresAt?: number } = {},
  ) => {
    seed += 1;
    const { text, key } = mintKey(new Uint8Array(KEY_BYTES).fill(seed), {
      ...{ apps: [], createdAt: NOW, ...about },
      ...(scope && { scope }),
    });
    await desk.keys.create(key);
    return { text, key };
  };
  const read = (await mint('read', { name: 'grafana' })).text;
  const answer = (await mint('answer', { name: 'robot' })).text;
  const call = clientOf((path, init) => desk.app.request(`${URL_ROOT}${path}`, init));
  const listed = async (query: object = {}): Promise<string[]> => {
    const { body } = await call('listAlerts', { token: read, ...query });
    return body.data.map(({ title }) => title);
  };
  const idOf = async (title: string): Promise<string> => {
    const { body } = await call('listAlerts', { token: read });
    return body.data.find((each) => each.title === title)?.id ?? '';
  };
  return { ...stores, desk, clock, mint, read, answer, call, listed, idOf };
}

export const sqlite = () => storesIn(openSqliteTable(':memory:', new ManualClock(NOW)), silent);

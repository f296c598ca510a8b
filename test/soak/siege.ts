import fc from 'fast-check';
import { hashOf } from '../../shared/access/api-key.ts';
import { redacted } from '../../shared/runtime/redaction.ts';
import { NOW, type Sample, sample } from '../functions/data-access/sample-app.ts';
import { rowsOf } from '../oracle/agreement.ts';
import { randomWorld } from '../oracle/random-world.ts';
import { expectContractAnswer } from './contract-answer.ts';
import { hostileRequests } from './hostile-requests.ts';

/** Has the form of a real key, so that redaction recognizes it. */
const KEY = `dwk_${'k3Y-'.repeat(10)}_en`;
const CURSOR_SECRET = 'secret-of-the-cursors';

/** Sends hostile requests to a service with random data and expects an answer of the contract to each. */
export async function besiege(draw: Required<Pick<fc.Parameters, 'numRuns' | 'seed'>>): Promise<void> {
  const world = randomWorld(3, 'Europe/Berlin', NOW);
  const logged: unknown[] = [];
  const shop = await sample({ zone: world.zone, ...rowsOf(world), service: loggingService(logged) });
  try {
    const cursors = await cursorsOf(shop);
    const property = fc.asyncProperty(hostileRequests({ world, key: KEY, cursors }), async (request) => {
      // Stays below the default rate limit for requests without a known app.
      await shop.clock.sleep(10_000);
      await expectContractAnswer({ ...shop, logged }, request, [KEY, CURSOR_SECRET]);
    });
    await fc.assert(property, draw);
  } finally {
    await shop.close();
  }
}

/** A service that logs everything into one list, redacted like the real log. */
function loggingService(logged: unknown[]) {
  const log = (...entries: unknown[]) => logged.push(JSON.stringify(entries, printed));
  const printed = (name: string, value: unknown) =>
    value instanceof Error ? { message: value.message, stack: value.stack } : redacted(name, value);
  const key = { id: 'besieged', sha256: hashOf(KEY), apps: ['shop', 'empty'] };
  return {
    keys: {
      find: async (sha256: string) => (sha256 === key.sha256 ? key : undefined),
      noteUse: async () => {},
    },
    logger: { warn: log, error: log },
    onAnswered: log,
    cursorSecret: CURSOR_SECRET,
  };
}

async function cursorsOf({ app }: Sample): Promise<string[]> {
  return Promise.all(
    ['event', 'session', 'user'].map(async (resource) => {
      const answer = await app.request(`/api/data-access/v1/${resource}`, {
        method: 'POST',
        headers: { 'X-Api-Key': KEY, 'Content-Type': 'application/json' },
        body: JSON.stringify({ app_id: 'shop', page_size: 2 }),
      });
      return String(Object(await answer.json()).pagination.next_cursor);
    }),
  );
}

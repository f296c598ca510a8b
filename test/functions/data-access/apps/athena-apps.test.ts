import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { athenaApps } from '../../../../functions/data-access/apps/athena-apps.ts';
import type { StatementRunner } from '../../../../functions/data-access/engines/trino/engine.ts';
import { type AppSettings, appSettingsSchema } from '../../../../shared/access/app-settings.ts';
import { ManualClock } from '../../../../shared/runtime/clock.ts';
import { QueryLimitError } from '../../../../shared/runtime/errors.ts';
import { sample, session } from '../sample-app.ts';

const SHOP = appSettingsSchema.parse({ id: 'shop', name: 'Shop' });
const QUESTION = sql`select count(*) as n from sessions`;

/** Apps whose statements take `statementMs` each, with records of lookups, time limits and statements. */
function appsWith(settings: () => AppSettings | undefined, statementMs = 0) {
  const clock = new ManualClock(1_000_000);
  const [lookedUp, timeouts, statements]: [string[], number[], string[]] = [[], [], []];
  const runnerFor = (timeoutMs: number): StatementRunner => ({
    async runStatement(statement) {
      timeouts.push(timeoutMs);
      statements.push(statement);
      await clock.sleep(statementMs);
      return { rows: [{ n: 1 }], bytesScanned: 7 };
    },
  });
  const settingsOf = async (appId: string) => {
    lookedUp.push(appId);
    return settings();
  };
  const apps = athenaApps({ settingsOf, runnerFor, timeoutMs: 24_000, clock });
  return { apps, clock, lookedUp, timeouts, statements };
}

describe('an app with its data in Athena', () => {
  test('answers with its settings and the bytes scanned', async () => {
    const { apps, statements } = appsWith(() => SHOP);
    const found = await apps.withApp({ appId: 'shop', keyId: 'k1' }, async ({ settings, engine }) => ({
      settings,
      ...(await engine.answer(QUESTION)),
    }));
    expect(found?.answer).toEqual({ settings: SHOP, rows: [{ n: 1 }], bytesScanned: 7 });
    expect(statements).toHaveLength(1);
  });

  test('sends identical statements within a minute, so that Athena can reuse results', async () => {
    const { apps, clock, statements } = appsWith(() => SHOP);
    const shop = await sample({ service: { apps, clock } });
    for (const pause of [5_000, 10_000, 60_000]) {
      await shop.get('/v2/session/analytics');
      await clock.sleep(pause);
    }
    await shop.get('/v2/session/analytics');
    await shop.close();
    expect(new Set(statements.slice(0, 3)).size).toBe(1);
    expect(statements[3]).not.toBe(statements[0]);
  });

  test('stops the other statements of a request if one fails, and waits for them', async () => {
    const ended: string[] = [];
    const runnerFor = (): StatementRunner => ({
      async runStatement(statement, { signal } = {}) {
        if (statement.includes('events')) throw new QueryLimitError('stopped');
        await new Promise((resolve) => signal?.addEventListener('abort', resolve));
        ended.push(statement);
        throw signal?.reason;
      },
    });
    const clock = new ManualClock(1_000_000);
    const apps = athenaApps({ settingsOf: async () => SHOP, runnerFor, timeoutMs: 24_000, clock });
    const both = apps.withApp({ appId: 'shop', keyId: 'k1' }, ({ engine }) =>
      Promise.all([engine.answer(QUESTION), engine.answer(sql`select 1 from events`)]),
    );
    await expect(both).rejects.toThrow(QueryLimitError);
    expect(ended).toHaveLength(1);
  });

  test('caches its settings for a minute', async () => {
    const { apps, clock, lookedUp } = appsWith(() => SHOP);
    await Promise.all([
      apps.settingsOf('shop'),
      apps.settingsOf('shop'),
      apps.withApp({ appId: 'shop', keyId: 'k1' }, async () => 1),
    ]);
    await apps.settingsOf('blog');
    expect(lookedUp).toEqual(['shop', 'blog']);
    await clock.sleep(60_000);
    await apps.settingsOf('shop');
    expect(lookedUp).toEqual(['shop', 'blog', 'shop']);
  });

  test('has one time limit for all statements of a request', async () => {
    const { apps, timeouts } = appsWith(() => SHOP, 10_000);
    const asked = apps.withApp({ appId: 'shop', keyId: 'k1' }, async ({ engine }) => {
      for (let i = 0; i < 4; i += 1) await engine.answer(QUESTION);
    });
    await expect(asked).rejects.toThrow(QueryLimitError);
    expect(timeouts).toEqual([24_000, 14_000, 4_000]);
  });
});

test('an answer above the size limit is refused with the parameter that reduces it', async () => {
  const sessions = Array.from({ length: 20 }, () => session({ user_properties: { note: '"'.repeat(500) } }));
  const shop = await sample({ sessions, service: { maxAnswerBytes: 30_000 } });
  try {
    const all = await shop.post('/api/data-access/v1/session');
    expect(all).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } });
    expect(all.body.error?.message).toContain('page_size');
    const few = await shop.post('/api/data-access/v1/session', { page_size: 5 });
    expect(few).toMatchObject({ status: 200 });
    expect(few.body.data).toHaveLength(5);
  } finally {
    await shop.close();
  }
});

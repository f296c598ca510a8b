import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openInstallation } from '../../../local/installation.ts';
import { systemClock } from '../../../shared/runtime/clock.ts';
import { freePort, launchDeltawatch, RULES, temporaryFolder } from '../../fixtures/deltawatch.ts';
import { LIVE_MS, printed } from '../../local/killed-start.ts';

/** Each kills a running start. For more of them: `DELTAWATCH_KILLS=200 npx vitest run --project long kills`. */
const KILLS = Number(process.env.DELTAWATCH_KILLS ?? 20);
const LATEST_MS = 400;

test(
  'a start that is killed at any moment keeps every note that it has confirmed',
  async () => {
    await using folder = await temporaryFolder();
    const state = join(folder.path, 'state');
    const confirmed = new Set<string>();
    for (let kill = 0; kill < KILLS; kill++) {
      const port = await freePort();
      const args = ['start', '--days', '0', '--port', `${port}`, '--state', state, '--rules', RULES];
      await using system = launchDeltawatch(args);
      await printed({ ...system, port }, 'Now live');
      const killing = setTimeout(() => system.kill('SIGKILL'), (LATEST_MS * ((kill * 7) % KILLS)) / KILLS);
      const sent: string[] = [];
      for (let i = 0; ; i++) {
        const text = `note ${kill}-${i}`;
        const body = new URLSearchParams({
          app: 'demo',
          text,
          minutes_ago: '0',
          by: 'Anna',
          back: '/rules/sales',
        });
        const url = `http://127.0.0.1:${port}`;
        const options = { method: 'POST', body, redirect: 'manual', headers: { origin: url } } as const;
        const answer = await fetch(`${url}/notes`, options).catch(() => undefined);
        if (!answer) break;
        expect([answer.status, answer.headers.get('location')]).toEqual([303, '/rules/sales?done=noted']);
        sent.push(text);
      }
      clearTimeout(killing);
      await system.ended;
      for (const text of sent) confirmed.add(text);
      await using stored = await notesIn(state);
      expect(sent.filter((text) => !stored.texts.has(text))).toEqual([]);
    }
    expect(confirmed.size).toBeGreaterThan(KILLS);
  },
  LIVE_MS + KILLS * 20_000,
);

async function notesIn(state: string) {
  const { stores, close } = await openInstallation({ state }, systemClock);
  const notes = await stores.notes.load({ fromAt: 0, throughAt: Date.now() });
  return { texts: new Set(notes.map(({ text }) => text)), [Symbol.asyncDispose]: close };
}

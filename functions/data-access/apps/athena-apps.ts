import type { AppSettings } from '../../../shared/access/app-settings.ts';
import type { Clock, Millis } from '../../../shared/runtime/clock.ts';
import { QueryLimitError } from '../../../shared/runtime/errors.ts';
import { athenaEngine, type StatementRunner } from '../engines/athena.ts';
import type { EngineAnswer } from '../engines/engine.ts';
import type { Apps } from './apps.ts';

/** A change of settings takes effect within this time. */
const KEEP_MS = 60_000;

/**
 * Athena reuses the result of an identical statement, and statements contain the time up to which uploads are visible.
 * That time advances by the minute, so that statements can be identical.
 */
const MINUTE_MS = 60_000;
const asOf = (now: Millis): Millis => now - (now % MINUTE_MS);

export interface AthenaAppsOptions {
  /** Undefined for an unknown app. */
  readonly settingsOf: (appId: string) => Promise<AppSettings | undefined>;
  /** Runs statements with this time limit each. */
  readonly runnerFor: (timeoutMs: number) => StatementRunner;
  /** For all statements of one request together. */
  readonly timeoutMs: number;
  readonly clock: Pick<Clock, 'now'>;
}

/** The apps in Athena: every app that has settings, with or without data. */
export function athenaApps({ settingsOf, runnerFor, timeoutMs, clock }: AthenaAppsOptions): Apps {
  const kept = new Map<string, { settings: Promise<AppSettings | undefined>; untilAt: Millis }>();

  const settingsKept = (appId: string): Promise<AppSettings | undefined> => {
    const known = kept.get(appId);
    if (known && clock.now() < known.untilAt) return known.settings;
    const settings = settingsOf(appId);
    kept.set(appId, { settings, untilAt: clock.now() + KEEP_MS });
    settings.catch(() => kept.delete(appId));
    return settings;
  };

  return {
    settingsOf: settingsKept,
    async withApp({ appId }, use) {
      const settings = await settingsKept(appId);
      if (settings === undefined) return undefined;
      const endsAt = clock.now() + timeoutMs;
      // The first failed statement ends the request. The others must be stopped, or they would cost money and, on
      // Lambda, resume during a later request.
      const failed = new AbortController();
      const running: Promise<EngineAnswer>[] = [];
      const runner: StatementRunner = {
        async runStatement(sql, { signal }) {
          const leftMs = endsAt - clock.now();
          if (leftMs <= 0) throw new QueryLimitError(`stopped after ${timeoutMs} ms`);
          const either = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
          const answer = runnerFor(leftMs).runStatement(sql, { signal: either });
          running.push(answer);
          return answer;
        },
      };
      try {
        return { answer: await use({ settings, engine: athenaEngine(runner, appId), asOf }) };
      } finally {
        failed.abort();
        await Promise.allSettled(running);
      }
    },
    close: () => {},
  };
}

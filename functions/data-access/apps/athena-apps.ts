import type { AppSettings } from '../../../shared/access/app-settings.ts';
import type { Clock, Millis } from '../../../shared/runtime/clock.ts';
import { QueryLimitError } from '../../../shared/runtime/errors.ts';
import { athenaEngine, type StatementRunner } from '../engines/athena.ts';
import type { EngineAnswer } from '../engines/engine.ts';
import type { Apps } from './apps.ts';

/** For so long a change of settings may go unseen. */
const KEEP_MS = 60_000;

/**
 * Athena gives the answer to the very same statement again, and statements say up to when uploads are shown: so that
 * there ever are two the same, that moment moves on by the minute.
 */
const MINUTE_MS = 60_000;
const asOf = (now: Millis): Millis => now - (now % MINUTE_MS);

export interface AthenaAppsOptions {
  /** Undefined where there is no such app. */
  readonly settingsOf: (appId: string) => Promise<AppSettings | undefined>;
  /** Runs statements that may take this long each. */
  readonly runnerFor: (timeoutMs: number) => StatementRunner;
  /** For all statements of one request together. */
  readonly timeoutMs: number;
  readonly clock: Pick<Clock, 'now'>;
}

/** The apps whose data Athena has: an app is one that has settings, with data or as yet without. */
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
      // Of questions asked at once, the first that fails answers the request; the others must not go on unseen, nor
      // be frozen with the function and wake up in somebody else's request.
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

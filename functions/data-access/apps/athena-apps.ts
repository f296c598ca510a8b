import type { AppSettings } from '../../../shared/access/app-settings.ts';
import type { Millis } from '../../../shared/runtime/clock.ts';
import { type AthenaRequest, athenaEngine } from '../engines/athena.ts';
import { rowsOfApp } from '../engines/trino-compiler.ts';
import type { Apps } from './apps.ts';

/** A change of settings takes effect within this time. */
const KEEP_MS = 60_000;

/**
 * Athena reuses the result of an identical statement, and statements contain the time up to which uploads are visible.
 * That time advances by the minute, so that statements can be identical.
 */
const MINUTE_MS = 60_000;
const asOf = (now: Millis): Millis => now - (now % MINUTE_MS);

export interface AthenaAppsOptions extends AthenaRequest {
  /** Undefined for an unknown app. */
  readonly settingsOf: (appId: string) => Promise<AppSettings | undefined>;
}

/** The apps in Athena: every app that has settings, with or without data. */
export function athenaApps({ settingsOf, ...request }: AthenaAppsOptions): Apps {
  const { clock } = request;
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
      await using engine = athenaEngine(rowsOfApp(appId), request);
      return { answer: await use({ settings, engine, asOf }) };
    },
    close: () => {},
  };
}

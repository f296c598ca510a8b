import type { AppSettings } from '../../../shared/access/app-settings.ts';
import type { Millis } from '../../../shared/runtime/clock.ts';
import { MINUTE_MS } from '../../../shared/units/durations.ts';
import { rowsOfApp } from '../engines/trino/compiler.ts';
import { type TrinoRequest, trinoEngine } from '../engines/trino/engine.ts';
import type { Apps } from './apps.ts';
import { keptFor, spansWithoutSums } from './kept.ts';

/**
 * Athena reuses the result of an identical statement, and statements contain the time up to which uploads are visible.
 * That time advances by the minute, so that statements can be identical.
 */
const asOf = (now: Millis): Millis => now - (now % MINUTE_MS);

export interface AthenaAppsOptions extends TrinoRequest {
  /** Undefined for an unknown app. */
  readonly settingsOf: (appId: string) => Promise<AppSettings | undefined>;
}

/** The apps in Athena: every app that has settings, with or without data. */
export function athenaApps({ settingsOf, ...request }: AthenaAppsOptions): Apps {
  // A change of settings takes effect within a minute.
  const settings = keptFor(MINUTE_MS, request.clock, settingsOf);
  const hoursOf = spansWithoutSums(request.clock);

  return {
    settingsOf: settings.get,
    async withApp({ appId }, use) {
      const found = await settings.get(appId);
      if (found === undefined) return undefined;
      await using engine = trinoEngine(rowsOfApp(appId), { ...request, hours: await hoursOf.get(appId) });
      return { answer: await use({ settings: found, engine, asOf }) };
    },
    close: () => {},
  };
}

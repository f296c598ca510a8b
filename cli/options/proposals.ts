import { dataSpan } from '../../local/data/app-file.ts';
import { progressLine } from '../../local/terminal.ts';
import { type Clock, ManualClock } from '../../shared/runtime/clock.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';
import { profileOf } from '../../workbench/starter/profile.ts';
import { type Proposal, propose } from '../../workbench/starter/propose.ts';
import { interruption } from '../terminal/interruption.ts';
import { openFigures } from './figures.ts';

/** The rules that the data of an app suggests. Throws `ConfigError` without data. */
export async function proposed(
  { app, zone, data }: { app: string; zone: string; data: string },
  clock: Clock,
): Promise<Proposal[]> {
  const span = await dataSpan(data, app);
  if (!span)
    throw new ConfigError(`${data} has no data for the app "${app}": import it with: deltawatch data import`);
  // For old data, its own last weeks.
  const until = Math.min(clock.now(), span.lastAt + 1);
  const line = progressLine();
  const need = {
    ruleSet: { rules: [{ app }] },
    from: span.firstAt,
    to: until,
    clock: new ManualClock(until),
  };
  const figures = await openFigures({ data }, need);
  try {
    return await propose({
      ...{
        app,
        zone,
        since: span.firstAt,
        until,
        profile: await profileOf(data, app, until),
        sourceFor: figures.sourceFor,
      },
      signal: interruption(),
      onProgress: (done, total) => line.show('Trying rules on the past', done, total),
    });
  } finally {
    line.end();
    figures.close();
  }
}

import { dataSpan } from '../../local/data/app-file.ts';
import { progressLine } from '../../local/terminal.ts';
import { type Clock, ManualClock } from '../../shared/runtime/clock.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';
import { profileFrom, profileOf } from '../../workbench/starter/profile.ts';
import { propose } from '../../workbench/starter/propose.ts';
import type { StarterRule } from '../../workbench/starter/starter-files.ts';
import { interruption } from '../terminal/interruption.ts';
import { openFigures } from './figures.ts';
import type { FigureOptions } from './project.ts';

/**
 * The rules that the figures of an app suggest: of a folder of imported data, or of the service or the tables of the
 * configuration. Throws `ConfigError` without data.
 */
export async function proposed(
  { app, zone, data, project }: { app: string; zone: string } & FigureOptions,
  clock: Clock,
): Promise<StarterRule[]> {
  const span = data === undefined ? undefined : await dataSpan(data, app);
  if (data !== undefined && !span)
    throw new ConfigError(`${data} has no data for the app "${app}": import it with: deltawatch data import`);
  // For old data, its own last weeks.
  const until = Math.min(clock.now(), span ? span.lastAt + 1 : Number.POSITIVE_INFINITY);
  const since = span?.firstAt ?? 0;
  const line = progressLine();
  using figures = await openFigures(
    { data, project },
    { ruleSet: { rules: [{ app }] }, from: since, to: until, clock: span ? new ManualClock(until) : clock },
  );
  const source = figures.sourceFor(app);
  const profile =
    data === undefined
      ? await profileFrom(source, { app, zone, until })
      : await profileOf(source, { dataDir: data, app, until });
  const rules = await propose({
    ...{ app, zone, since, until, profile, sourceFor: figures.sourceFor, signal: interruption() },
    onProgress: (done, total) => line.show('Trying rules on the past', done, total),
  });
  line.end();
  return rules;
}

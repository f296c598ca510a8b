import { figuresOf } from '../../local/figures.ts';
import { readArchive } from '../../local/replay/archive.ts';
import { replay } from '../../local/replay/replay.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import type { Window } from '../../shared/time/window.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import { notificationOf, type SimulatedNotification } from '../simulate.ts';

/**
 * The replay starts before the data, as with `npm start` and `backtest` on a month of data: they cover 35 and 90 days by
 * default.
 */
const LEAD_DAYS = 7;

/** The notifications of the rules on the data in `dataDir`, as in a backtest at the end of `data`. */
export async function replayed(
  dataDir: string,
  ruleSet: RuleSet,
  data: Window,
): Promise<SimulatedNotification[]> {
  const { rules } = ruleSet;
  const clock = new ManualClock(data.endAt);
  const span = { from: data.startAt - LEAD_DAYS * DAY_MS, to: data.endAt };
  const { sourceFor, close } = figuresOf({ kind: 'folder', dataDir }, clock);
  const figures = await readArchive({ rules, ...span, sourceFor, clock });
  close();
  const notified: SimulatedNotification[] = [];
  for await (const event of replay({ ruleSet, ...span, figures }))
    if (event.kind === 'sent') notified.push(...event.pending.map(notificationOf));
  return notified;
}

import { figuresOfFolder } from '../../local/figures.ts';
import { notificationOf, type SimulatedNotification } from '../../local/simulate.ts';
import type { RuleSet } from '../../shared/alerting/deployments/rule-store.ts';
import type { Window } from '../../shared/alerting/time/window.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { readArchive } from '../../workbench/replay/archive.ts';
import { replay } from '../../workbench/replay/replay.ts';

const DAY = 86_400_000;

/**
 * The replay begins this much before the data, as `npm start` and `backtest` do with a month of data: by default they
 * go through 35 and 90 days.
 */
const LEAD_DAYS = 7;

/** What the rules say of the data in `dataDir`, as a backtest at the end of `data` finds it. */
export async function replayed(
  dataDir: string,
  ruleSet: RuleSet,
  data: Window,
): Promise<SimulatedNotification[]> {
  const { rules } = ruleSet;
  const clock = new ManualClock(data.endAt);
  const span = { from: data.startAt - LEAD_DAYS * DAY, to: data.endAt };
  const apps = [...new Set(rules.map(({ app }) => app))];
  const { sourceFor, close } = figuresOfFolder(dataDir, apps, { clock, describe: 'imported data' });
  const figures = await readArchive({ rules, ...span, sourceFor, clock });
  close();
  const notified: SimulatedNotification[] = [];
  for await (const event of replay({ ruleSet, ...span, figures }))
    if (event.kind === 'sent') notified.push(...event.pending.map(notificationOf));
  return notified;
}

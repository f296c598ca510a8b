import { appOf } from '../alerts/app-alert.ts';
import type { RunStore } from '../planning/run-store.ts';
import type { Rule } from '../rules/rule.ts';
import { cadenceName, nextRun } from '../time/cadence.ts';
import { MINUTE_MS } from '../units/durations.ts';
import type { Status } from './alert-status.ts';

/** A run is late if it is not planned this long after its time. */
const LATE_MS = 5 * MINUTE_MS;

/** The state of the runs, for the cadences and apps of the deployed rules. */
export interface Pulse {
  cadences: CadencePulse[];
  apps: AppPulse[];
}

/** `late`: the next run is overdue. `in work`: the last run is not finished. */
interface CadencePulse {
  every: string;
  zone: string;
  rules: number;
  state: 'late' | 'in work' | 'on time' | 'never ran';
  lastAt: number | null;
  nextAt: number;
}

interface AppPulse {
  app: string;
  /** The newest event that any run has seen. */
  newestAt: number | null;
  /** When its alert for missing data fired; `null` if it is not firing. */
  stoppedSinceAt: number | null;
  /** Calls spent in this hour. */
  calls: number;
  rules: number;
}

/** Before its first run, a cadence is late if it was due since `deployedAt`. */
export async function loadPulse(
  { rules, open }: Pick<Status, 'rules' | 'open'>,
  runs: RunStore,
  now: number,
  deployedAt = now,
): Promise<Pulse> {
  const last = new Map((await runs.loadLastTicks()).map((tick) => [tick.cadence, tick]));
  const ofCadence = async ([name, same]: [string, Rule[]]): Promise<CadencePulse[]> => {
    const [first] = same;
    if (!first) return [];
    const { every, cadence } = first;
    const tick = last.get(name);
    const isLate = nextRun(cadence, tick?.scheduledAt ?? deployedAt) < now - LATE_MS;
    const state = !tick ? 'never ran' : (await runs.isTickComplete(tick.tick)) ? 'on time' : 'in work';
    return [
      {
        ...{ every, zone: cadence.zone, rules: same.length, state: isLate ? 'late' : state },
        ...{ lastAt: tick?.scheduledAt ?? null, nextAt: nextRun(cadence, now) },
      },
    ];
  };
  const ofApp = async ([app, same]: [string, Rule[]]): Promise<AppPulse> => {
    const [calls, newestAt] = await Promise.all([runs.loadCalls(app, now), runs.loadNewestEventAt(app)]);
    const stopped = open.find((alert) => appOf(alert) === app && alert.state === 'firing');
    const stoppedSinceAt = stopped?.stateSinceAt ?? null;
    return { app, newestAt: newestAt ?? null, stoppedSinceAt, calls, rules: same.length };
  };
  const byCadence = Map.groupBy(rules, ({ cadence }) => cadenceName(cadence));
  const byApp = [...Map.groupBy(rules, ({ app }) => app)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const [cadences, apps] = await Promise.all([
    Promise.all([...byCadence].map(ofCadence)),
    Promise.all(byApp.map(ofApp)),
  ]);
  return { cadences: cadences.flat(), apps };
}

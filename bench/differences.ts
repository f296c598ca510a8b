import type { ReplayEvent } from '../local/replay/replayed.ts';
import { notificationOf, type SimulatedNotification } from './simulate.ts';

/** A notification as in the output of simulations, without `changePct`, which follows from its other figures. */
export type ComparedNotification = Omit<SimulatedNotification, 'changePct'>;

/** A difference between a replay and a simulation, which only sees the data that had arrived by each run. */
export interface Difference {
  cause:
    | 'other figures'
    | 'taken back'
    | 'only settled figures breach'
    | 'only early figures breach'
    | 'follows';
  replayed: ComparedNotification | undefined;
  simulated: ComparedNotification | undefined;
}

/** All differences, by window. `follows`: a later notification of an alert that already differs. */
export function differencesBetween(
  replayed: ComparedNotification[],
  simulated: ComparedNotification[],
): Difference[] {
  const inSimulation = new Set(simulated.map(textOf));
  const inReplay = new Set(replayed.map(textOf));
  const [onlyReplayed, onlySimulated] = [
    replayed.filter((each) => !inSimulation.has(textOf(each))),
    simulated.filter((each) => !inReplay.has(textOf(each))),
  ];
  const matchOf = new Map(onlySimulated.map((each) => [nameOf(each), each]));
  const matched = new Set(onlyReplayed.map(nameOf));
  const retracted = new Set(
    onlySimulated.filter(({ transition }) => transition === 'retracted').map(alertOf),
  );
  const differences = [
    ...onlyReplayed.map((each): Difference => {
      const simulated = matchOf.get(nameOf(each));
      if (simulated) return { cause: 'other figures', replayed: each, simulated };
      const cause = each.transition === 'fired' ? 'only settled figures breach' : 'follows';
      return { cause, replayed: each, simulated };
    }),
    ...onlySimulated
      .filter((each) => !matched.has(nameOf(each)))
      .map((each): Difference => ({ cause: causeOf(each, retracted), replayed: undefined, simulated: each })),
  ];
  return differences.toSorted((a, b) => (windowEndOf(a) < windowEndOf(b) ? -1 : 1));
}

function causeOf(entry: ComparedNotification, retracted: ReadonlySet<string>): Difference['cause'] {
  const { transition } = entry;
  if (transition === 'retracted') return 'taken back';
  if (transition !== 'fired') return 'follows';
  return retracted.has(alertOf(entry)) ? 'taken back' : 'only early figures breach';
}

/** The notifications in an event of a replay. */
export function notificationsIn(event: ReplayEvent): ComparedNotification[] {
  return event.kind === 'sent' ? event.pending.map(notificationOf) : [];
}

const alertOf = ({ rule, segment }: ComparedNotification) => JSON.stringify([rule, segment]);

const nameOf = (each: ComparedNotification) =>
  JSON.stringify([alertOf(each), each.windowEnd, each.transition, each.route]);

const textOf = (each: ComparedNotification) => JSON.stringify([nameOf(each), each.current, each.baseline]);

const windowEndOf = ({ replayed, simulated }: Difference) => (replayed ?? simulated)?.windowEnd ?? '';

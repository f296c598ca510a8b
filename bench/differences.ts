import { notificationOf, type SimulatedNotification } from '../local/simulate.ts';
import type { ReplayEvent } from '../workbench/replay/replayed.ts';

/** What was told, as simulations tell it, less what follows from its figures. */
export type ComparedNotification = Omit<SimulatedNotification, 'changePct'>;

/** Something that a replay tells otherwise than a simulation, which had to do with what had come by then. */
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

/** All that is not told alike, in the order of its windows. `follows`: of an alert that differs for another cause. */
export function differencesBetween(
  replayed: ComparedNotification[],
  simulated: ComparedNotification[],
): Difference[] {
  const same = new Set(simulated.map(textOf));
  const known = new Set(replayed.map(textOf));
  const [only, missing] = [
    replayed.filter((each) => !same.has(textOf(each))),
    simulated.filter((each) => !known.has(textOf(each))),
  ];
  const matchOf = new Map(missing.map((each) => [nameOf(each), each]));
  const matched = new Set(only.map(nameOf));
  const takenBack = new Set(missing.filter(({ transition }) => transition === 'retracted').map(alertOf));
  const differences = [
    ...only.map((each): Difference => {
      const simulated = matchOf.get(nameOf(each));
      if (simulated) return { cause: 'other figures', replayed: each, simulated };
      const cause = each.transition === 'fired' ? 'only settled figures breach' : 'follows';
      return { cause, replayed: each, simulated };
    }),
    ...missing
      .filter((each) => !matched.has(nameOf(each)))
      .map((each): Difference => ({ cause: causeOf(each, takenBack), replayed: undefined, simulated: each })),
  ];
  return differences.toSorted((a, b) => (windowEndOf(a) < windowEndOf(b) ? -1 : 1));
}

function causeOf(entry: ComparedNotification, takenBack: ReadonlySet<string>): Difference['cause'] {
  const { transition } = entry;
  if (transition === 'retracted') return 'taken back';
  if (transition !== 'fired') return 'follows';
  return takenBack.has(alertOf(entry)) ? 'taken back' : 'only early figures breach';
}

/** What an event of a replay told. */
export function notificationsIn(event: ReplayEvent): ComparedNotification[] {
  return event.kind === 'sent' ? event.pending.map(notificationOf) : [];
}

const alertOf = ({ rule, segment }: ComparedNotification) => JSON.stringify([rule, segment]);

const nameOf = (each: ComparedNotification) =>
  JSON.stringify([alertOf(each), each.windowEnd, each.transition, each.route]);

const textOf = (each: ComparedNotification) => JSON.stringify([nameOf(each), each.current, each.baseline]);

const windowEndOf = ({ replayed, simulated }: Difference) => (replayed ?? simulated)?.windowEnd ?? '';

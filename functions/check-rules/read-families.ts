import type { Batch } from '../../shared/alerting/planning/plan.ts';
import type { Need } from '../../shared/alerting/planning/wanted-readings.ts';
import type { History } from '../../shared/alerting/readings/history.ts';
import type { MetricSource } from '../../shared/alerting/readings/metric-source.ts';
import type { ReadingStore } from '../../shared/alerting/readings/reading-store.ts';
import { seriesOf } from '../../shared/alerting/readings/series.ts';
import { mostSevere } from '../../shared/alerting/rules/severity.ts';
import { contentHash } from '../../shared/alerting/text/content-hash.ts';
import { type CalendarWindows, CalendarWindowsByZone } from '../../shared/alerting/time/calendar-windows.ts';
import type { Window } from '../../shared/alerting/time/window.ts';
import type { DueRule } from './due-rules.ts';
import { type Gap, Gathering } from './gather-readings.ts';
import type { CurrentReadings } from './read-request.ts';

/** Families in a row that failed, after which the service counts as down: each of them waits for minutes. */
const GIVE_UP_AFTER = 3;

/**
 * How long a run may go on asking for what judgements need: what is left waits for the next one. A last question that is
 * tried four times may take a minute and a half, and all must end within Lambda's five.
 */
const READ_MS = 180_000;

/** How long a run may go on, from then, asking for the past that only helps. */
const HISTORY_MS = 30_000;

/** Rules of one family, and the readings that they are judged by. */
interface Family {
  members: DueRule[];
  history: History;
  /** Of the family's calendar. */
  calendarWindows: CalendarWindows;
  /** Why what `need` asks about `window` could not be read; `undefined` where it was. */
  gapFor: (need: Need, window: Window) => Gap | undefined;
}

/** The run that readings are wanted for. */
interface ReadingRun {
  startedAt: number;
  batch: Pick<Batch, 'tick' | 'scheduledAt'>;
  /** Why the service need not be asked, where that is known. */
  trouble: Gap | undefined;
}

/** Brings the readings that boards need, family by family. */
export type ReadFamilies = (dueRules: DueRule[], run: ReadingRun) => Promise<Family[]>;

/**
 * Families as the service answers for them, and as earlier runs kept them: first what new windows need, the severest
 * rules first, then what is to be read again, and last the past, which another family begins each time so that none
 * waits for ever.
 */
export function readingFrom(
  source: MetricSource,
  readings: ReadingStore | CurrentReadings,
  now: () => number,
): ReadFamilies {
  const calendarWindowsByZone = new CalendarWindowsByZone();
  return async (dueRules, { startedAt, batch: { tick, scheduledAt }, trouble: known }) => {
    const asking = { readings, source, now, scheduledAt, readUntilAt: startedAt + READ_MS };
    const families: (Family & { gathering: Gathering })[] = [];
    for (const { family, members, calendarWindows } of familiesOf(dueRules, calendarWindowsByZone)) {
      const gathering = await Gathering.begin(family, members, { ...asking, calendarWindows });
      const { history } = gathering;
      families.push({
        members,
        calendarWindows,
        gathering,
        history,
        gapFor: gathering.gapFor.bind(gathering),
      });
    }
    const gatherings = families.map(({ gathering }) => gathering);
    const trouble = await inTurn(gatherings, known, (each, why) => each.readNeeded(why));
    await inTurn(gatherings, trouble, (each, why) => each.readAgain(why));
    const historyUntilAt = now() + HISTORY_MS;
    for (const each of rotated(gatherings, tick)) await each.readHistory(historyUntilAt);
    return families;
  };
}

/** The boards by family, those of the severest rules first. */
function familiesOf(
  dueRules: DueRule[],
  calendarWindowsByZone: CalendarWindowsByZone,
): { family: string; members: DueRule[]; calendarWindows: CalendarWindows }[] {
  const byFamily = Map.groupBy(dueRules, ({ rule }) => seriesOf(rule).family);
  const severity = (members: DueRule[]) => mostSevere(members.map(({ rule }) => rule));
  return [...byFamily]
    .toSorted(([, a], [, b]) => severity(b) - severity(a))
    .flatMap(([family, members]) => {
      const [first] = members;
      return first
        ? [{ family, members, calendarWindows: calendarWindowsByZone.of(seriesOf(first.rule).calendar) }]
        : [];
    });
}

/** Lets one family after another read, and tells the next ones why that is in vain, if one found out. */
async function inTurn(
  gatherings: Gathering[],
  known: Gap | undefined,
  read: (gathering: Gathering, trouble: Gap | undefined) => Promise<void>,
): Promise<Gap | undefined> {
  let trouble = known;
  let failures = 0;
  for (const gathering of gatherings) {
    await read(gathering, trouble);
    failures = gathering.failure ? failures + 1 : 0;
    trouble = gathering.trouble ?? (failures >= GIVE_UP_AFTER ? gathering.failure : undefined);
  }
  return trouble;
}

/** Beginning at any of them, as the tick will have it: cadences go round as regularly as a count would. */
function rotated<T>(all: T[], tick: string): T[] {
  const first = Number.parseInt(contentHash(tick).slice(0, 8), 16) % Math.max(1, all.length);
  return [...all.slice(first), ...all.slice(0, first)];
}

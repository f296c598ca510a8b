import type { Batch } from '../../shared/planning/plan.ts';
import type { MetricSource } from '../../shared/readings/metric-source.ts';
import { seriesOf } from '../../shared/readings/series.ts';
import type { ReadingStore } from '../../shared/readings/snapshots.ts';
import { mostSevere } from '../../shared/rules/rule.ts';
import { contentHash } from '../../shared/text/content-hash.ts';
import { type CalendarWindows, CalendarWindowsByZone } from '../../shared/time/calendar-windows.ts';
import type { DueRule } from './due-rules.ts';
import { type Gap, Gathering } from './gather-readings.ts';

/** Consecutive failed families after which the service counts as down: each of them waits for minutes. */
const GIVE_UP_AFTER = 3;

/** How long a run may read what evaluations need: a last question with its retries must fit into the timeout too. */
const READ_MS = 180_000;

/** How long after that a run may read past windows, which help but are not needed. */
const HISTORY_MS = 30_000;

/** Due rules that share questions, with their readings. */
interface Family {
  members: DueRule[];
  gathering: Gathering;
}

interface ReadingRun {
  startedAt: number;
  batch: Pick<Batch, 'tick' | 'scheduledAt'>;
  /** Set if it is already known that the service cannot answer. */
  trouble: Gap | undefined;
}

/** Loads the readings that the rules need, by family. */
export type ReadFamilies = (dueRules: DueRule[], run: ReadingRun) => Promise<Family[]>;

/**
 * Reads families from the service and from stored readings of earlier runs. First what new windows need, most severe
 * rules first. Then what is due to be read again. Last the past, starting with another family each time, so that each
 * gets its turn.
 */
export function readingFrom(source: MetricSource, readings: ReadingStore, now: () => number): ReadFamilies {
  const calendarWindowsByZone = new CalendarWindowsByZone();
  return async (dueRules, { startedAt, batch: { tick, scheduledAt }, trouble: known }) => {
    const asking = { readings, source, now, scheduledAt, readUntilAt: startedAt + READ_MS };
    const families: Family[] = [];
    for (const { family, members, calendarWindows } of familiesOf(dueRules, calendarWindowsByZone)) {
      const gathering = await Gathering.begin(family, members, { ...asking, calendarWindows });
      families.push({ members, gathering });
    }
    const gatherings = families.map(({ gathering }) => gathering);
    const trouble = await inTurn(gatherings, known, (each, why) => each.readNeeded(why));
    await inTurn(gatherings, trouble, (each, why) => each.readAgain(why));
    const historyUntilAt = now() + HISTORY_MS;
    for (const each of rotated(gatherings, tick)) await each.readHistory(historyUntilAt);
    return families;
  };
}

/** The due rules by family, most severe first. */
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

/** Reads one family after another. Passes on the trouble that makes reading the next ones pointless. */
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

/** Rotates by a hash of the tick: with a counter, each cadence could start with the same family every time. */
function rotated<T>(all: T[], tick: string): T[] {
  const first = Number.parseInt(contentHash(tick).slice(0, 8), 16) % Math.max(1, all.length);
  return [...all.slice(first), ...all.slice(0, first)];
}

import * as z from 'zod';
import { seriesOf } from '../readings/series.ts';
import { hasSegments, mostSevere, type Rule } from '../rules/rule.ts';
import { contentHash } from '../text/content-hash.ts';
import { type Cadence, longestBreakHours, MAX_CATCH_UP, nextRun } from '../time/cadence.ts';
import { lastClosedWindow, type Window, windowBefore, windowSchema } from '../time/window.ts';

/** One run of one cadence. Everything that it causes uses its scheduled time as "now". */
export interface Tick {
  id: string;
  scheduledAt: number;
  batches: string[];
}

const checkSchema = z.object({ ruleId: z.string(), meaning: z.string(), windows: z.array(windowSchema) });
/** The windows of one rule to evaluate, oldest first, and the meaning of the rule at planning time. */
export type Check = z.infer<typeof checkSchema>;

export const batchSchema = z.object({
  id: z.string(),
  tick: z.string(),
  scheduledAt: z.number(),
  app: z.string(),
  checks: z.array(checkSchema),
});
/** The work of one run of the Lambda function: whole rules of one app that share calls. */
export type Batch = z.infer<typeof batchSchema>;

/** These keep a batch within one queue message, and well within the memory and the time of one run. */
const MAX_SERIES_PER_BATCH = 500;
const MAX_WINDOWS_PER_BATCH = 5000;
/** A rule with segments counts as so many series. */
const SEGMENTS = 5;

/** Each family needs its own questions, and the service may be slow. */
const MAX_FAMILIES_PER_BATCH = 20;

/**
 * The windows of `rule` that are settled at `scheduledAt` and not evaluated yet, oldest first: those after
 * `evaluatedThroughAt`, at most `MAX_CATCH_UP`. For a new rule only the last one.
 */
export function dueWindows(
  rule: Rule,
  scheduledAt: number,
  evaluatedThroughAt: number | undefined,
): Window[] {
  const calendar = { grain: rule.window, zone: rule.zone };
  const due: Window[] = [];
  let window = lastClosedWindow(scheduledAt - rule.settle * 60_000, calendar);
  const most = evaluatedThroughAt === undefined ? 1 : MAX_CATCH_UP;
  while (due.length < most && (evaluatedThroughAt === undefined || window.endAt > evaluatedThroughAt)) {
    due.unshift(window);
    window = windowBefore(window, calendar);
  }
  return due;
}

/** The scheduled time of the first run that can evaluate `window`. */
export function dueAt({ cadence, settle }: Rule, { endAt }: Window): number {
  return nextRun(cadence, endAt + settle * 60_000 - 1);
}

export function tickId(cadence: string, scheduledAt: number): string {
  return `${cadence}@${new Date(scheduledAt).toISOString()}`;
}

/** The name of the cadence whose tick has this id. */
export function cadenceOfTick(id: Tick['id']): string {
  return id.slice(0, id.lastIndexOf('@'));
}

/**
 * The batches of one tick, most severe first. Rules that share calls are in one batch, and so are rules over rules and
 * their members. No rule is split. Equal arguments give equal batches.
 */
export function planBatches(
  tick: Pick<Tick, 'id' | 'scheduledAt'>,
  ruleSet: { rules: Rule[] },
  checks: Check[],
): Batch[] {
  const rules = new Map(ruleSet.rules.map((rule) => [rule.id, rule]));
  const batches = new Map<string, Check[][]>();
  const due = checks.filter(({ ruleId, windows }) => rules.has(ruleId) && windows.length > 0);
  for (const [app, ofApp] of Map.groupBy(due, ({ ruleId }) => rules.get(ruleId)?.app ?? '')) {
    const bound = boundTogether(ofApp, rules);
    const free = ofApp.filter((check) => !bound.some((part) => part.includes(check)));
    const parts = [...bound, ...sharingCalls(free, rules)];
    const severity = (part: Check[]) => mostSevere(part.map(({ ruleId }) => rules.get(ruleId)));
    batches.set(
      app,
      pack(
        parts.toSorted((a, b) => severity(b) - severity(a)),
        rules,
      ),
    );
  }

  return [...batches].flatMap(([app, parts]) =>
    parts.map((part) => ({
      id: `${app}-${contentHash(part)}`,
      tick: tick.id,
      scheduledAt: tick.scheduledAt,
      app,
      checks: part,
    })),
  );
}

/**
 * Groups of rules over rules and their members. In one batch, a rule over rules sees the results of its members at once.
 * A group that is larger than a batch is split, and such a rule sees them in the next run.
 */
function boundTogether(checks: Check[], rules: Map<string, Rule>): Check[][] {
  let bonds: Set<string>[] = [];
  for (const { ruleId } of checks) {
    const members = rules.get(ruleId)?.members;
    if (!members) continue;
    const ids = [ruleId, ...members.ruleIds];
    const isShared = (bond: Set<string>) => ids.some((id) => bond.has(id));
    const joined = [...bonds.filter(isShared).flatMap((bond) => [...bond]), ...ids];
    bonds = [...bonds.filter((bond) => !isShared(bond)), new Set(joined)];
  }
  return bonds.map((bond) => checks.filter(({ ruleId }) => bond.has(ruleId)));
}

/** Groups of rules that share calls, family by family. Rules of the same events stand together, in case a group is split. */
function sharingCalls(checks: Check[], rules: Map<string, Rule>): Check[][] {
  const named = checks.flatMap((check) => {
    const rule = rules.get(check.ruleId);
    if (!rule || rule.members) return [];
    const { family, eventNames } = seriesOf(rule);
    return [{ check, family, names: String(eventNames) }];
  });
  return [...Map.groupBy(named, ({ family }) => family).values()].map((each) =>
    each.toSorted((a, b) => byText(a.names, b.names)).map(({ check }) => check),
  );
}

/** Fills batches with whole parts. Only parts that are too large for a batch are split. */
function pack(parts: Check[][], rules: Map<string, Rule>): Check[][] {
  const batches: Check[][] = [];
  const fits = (checks: Check[]) =>
    seriesIn(checks, rules) <= MAX_SERIES_PER_BATCH &&
    windowsIn(checks, rules) <= MAX_WINDOWS_PER_BATCH &&
    familiesOf(checks, rules) <= MAX_FAMILIES_PER_BATCH;
  for (const part of parts.flatMap((each) => pieces(each, rules))) {
    const last = batches.at(-1);
    if (last && fits([...last, ...part])) last.push(...part);
    else batches.push([...part]);
  }
  return batches;
}

/** `part`, or pieces of it that each fit into a batch. */
function pieces(part: Check[], rules: Map<string, Rule>): Check[][] {
  const found: Check[][] = [];
  let room = { series: 0, windows: 0 };
  for (const check of part) {
    const [series, windows] = [seriesIn([check], rules), windowsIn([check], rules)];
    const last = found.at(-1);
    if (last && series <= room.series && windows <= room.windows) last.push(check);
    else {
      found.push([check]);
      room = { series: MAX_SERIES_PER_BATCH, windows: MAX_WINDOWS_PER_BATCH };
    }
    room = { series: room.series - series, windows: room.windows - windows };
  }
  return found;
}

function seriesIn(checks: Check[], rules: Map<string, Rule>): number {
  return checks.reduce((sum, check) => sum + seriesOfCheck(check, rules), 0);
}

function windowsIn(checks: Check[], rules: Map<string, Rule>): number {
  return checks.reduce((sum, check) => sum + check.windows.length * seriesOfCheck(check, rules), 0);
}

function seriesOfCheck({ ruleId }: Check, rules: Map<string, Rule>): number {
  const rule = rules.get(ruleId);
  return rule && hasSegments(rule) ? SEGMENTS : 1;
}

function familiesOf(checks: Check[], rules: Map<string, Rule>): number {
  const families = checks.flatMap(({ ruleId }) => {
    const rule = rules.get(ruleId);
    return rule && !rule.members ? [seriesOf(rule).family] : [];
  });
  return new Set(families).size;
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A queue with delivery at least once. */
export interface Queue<T> {
  send(items: T[]): Promise<void>;
}

export type BatchQueue = Queue<Batch>;

/** Wakes up the sender of the pending notifications of a tick. It may be lost, as the sweep finds them too. */
export type WakeUpQueue = Queue<{ tick: Tick['id'] }>;

/** A future run with the windows that it will evaluate, oldest first. Empty if no new window has settled. */
interface PlannedRun {
  at: number;
  windows: Window[];
}

/** The next `count` runs of `rule` after `after`, assuming that no earlier run was missed. */
export function plannedRuns(rule: Rule, after: number, count: number): PlannedRun[] {
  let at = lastRun(rule.cadence, after);
  let [latest] = dueWindows(rule, at, undefined);
  return Array.from({ length: count }, () => {
    at = nextRun(rule.cadence, at);
    const windows = dueWindows(rule, at, latest?.endAt);
    latest = windows.at(-1) ?? latest;
    return { at, windows };
  });
}

/** The last run at or before `through`. */
function lastRun(cadence: Cadence, through: number): number {
  // Twice the break and more: a clock change may skip one run and add an hour.
  const breaksHours = 2 * (longestBreakHours(cadence) ?? 0) + 2;
  let run = nextRun(cadence, through - breaksHours * 3_600_000);
  for (let next = run; next <= through; next = nextRun(cadence, next)) run = next;
  return run;
}

import { join } from 'node:path';
import * as z from 'zod';
import { readJson } from '../functions/data-access/apps/reloading-file.ts';
import type { Rule } from '../shared/rules/rule.ts';
import { ManualClock, type Millis } from '../shared/runtime/clock.ts';
import { UpstreamError } from '../shared/runtime/errors.ts';
import { inMemoryStores } from '../shared/store/in-memory/stores.ts';
import { dateAt } from '../shared/time/window.ts';
import { DAY_MS } from '../shared/units/durations.ts';
import { type CatchUpSpan, catchUpSpans, type DataSpan, evaluableAt } from './catch-up-spans.ts';
import { dataSpan } from './data/app-file.ts';
import { type FigureSource, openDataAccess } from './data-access.ts';
import { DEMO, demoSpan, isDemoShop } from './demo-data.ts';
import { exists, replaceText } from './files.ts';

/** The time through which all runs of a rule are done, by rule id. */
export type Ticked = ReadonlyMap<string, Millis>;

export interface CatchUp {
  spans: CatchUpSpan[];
  /** The time through which earlier starts ran the rules. */
  ticked: Ticked;
  /** The rules of apps with data. */
  fed: Rule[];
  /** Whether rules watch the generated demo shop. */
  watchesDemo: boolean;
  /** Notes for users about unexpected replays, in lines of at most 80 characters. */
  notes: string[];
}

export interface CatchUpOptions {
  rules: readonly Rule[];
  stateDir: string;
  now: Millis;
  days: number;
}

/**
 * Plans the replay of a start: for each rule, the time that has data and can be evaluated. Figures of a service cannot be
 * replayed quickly, so every rule runs once at the start instead.
 */
export async function planCatchUp(figures: FigureSource, options: CatchUpOptions): Promise<CatchUp> {
  const { rules, stateDir, now, days } = options;
  const plan: CatchUp = { spans: [], ticked: new Map(), fed: [], watchesDemo: false, notes: [] };
  if (figures.kind === 'service')
    return {
      ...plan,
      fed: [...rules],
      notes: [`Figures come from ${figures.describe}. Nothing is replayed.`],
    };
  const ticked = await loadTicked(stateDir);
  for (const [app, ofApp] of Map.groupBy(rules, (rule) => rule.app)) {
    const isDemo = figures.kind === 'folder' && app === DEMO && (await isDemoShop(figures.dataDir));
    plan.watchesDemo ||= isDemo;
    const data = isDemo ? demoSpan(now) : await spanOf(figures, app, now);
    if (!data) {
      plan.notes.push(...hintFor(figures, app));
      continue;
    }
    plan.fed.push(...ofApp);
    const spans = catchUpSpans(caughtUpAlone(ofApp, ticked), data, { now, days, ticked });
    plan.spans.push(...spans);
    if (days > 0 && !ofApp.some(({ id }) => ticked.has(id)))
      plan.notes.push(...replayNote(ofApp, data, spans, options));
  }
  return { ...plan, ticked };
}

/** A composite rule cannot catch up after its members did: their past states are not stored. */
function caughtUpAlone(rules: readonly Rule[], ticked: Ticked): Rule[] {
  return rules.filter(
    ({ id, members }) => ticked.has(id) || !members?.ruleIds.some((each) => ticked.has(each)),
  );
}

type Replayable = Exclude<FigureSource, { kind: 'service' }>;

function hintFor(figures: Replayable, app: string): string[] {
  const place = figures.kind === 'folder' ? figures.dataDir : figures.describe;
  const hint = `${app}: no data in ${place}, so its rules cannot be evaluated`;
  return figures.kind === 'folder'
    ? [hint, `  import some with: npx deltawatch data import FILE --app ${app}`]
    : [hint];
}

/** The age of the oldest data that matters: longer than any history of a rule. */
const HISTORY_MS = 400 * DAY_MS;

/** In tables only the newest event is looked up: windows before the first one have no figures, and are not evaluated. */
async function spanOf(figures: Replayable, app: string, now: Millis): Promise<DataSpan | undefined> {
  if (figures.kind === 'folder') return dataSpan(figures.dataDir, app);
  const opened = openDataAccess(figures, { clock: new ManualClock(now), apiKey: 'span' });
  const firstAt = now - HISTORY_MS;
  const newest = await opened.sourceFor(app, inMemoryStores().runs).readNewestEventAt(app, firstAt);
  if (newest.kind !== 'read')
    throw new UpstreamError(`the newest event of ${app} cannot be read: ${newest.reason}`, {
      retryable: true,
    });
  return newest.value === null ? undefined : { firstAt, lastAt: newest.value };
}

/** Empty in the normal case: the replay covers the last days up to now. */
function replayNote(
  rules: Rule[],
  data: DataSpan,
  spans: CatchUpSpan[],
  { now, days }: CatchUpOptions,
): string[] {
  const [{ app = '', zone = 'UTC' } = {}] = rules;
  const dayOf = (at: Millis) => dateAt(at, zone);
  const fromAt = Math.min(...spans.map((span) => span.fromAt));
  const throughAt = Math.max(...spans.map((span) => span.throughAt));
  if (fromAt <= now - days * DAY_MS && throughAt >= now) return [];
  const how =
    spans.length === 0
      ? `not replayed: nothing can be evaluated before ${dayOf(evaluableAt(rules, data.firstAt))}`
      : `replayed from ${dayOf(fromAt + 1)} to ${dayOf(throughAt)}`;
  return [`${app}: data from ${dayOf(data.firstAt)} to ${dayOf(data.lastAt)}`, `  ${how}`];
}

const tickedSchema = z.object({ tickedThrough: z.record(z.string(), z.iso.datetime()) });
const tickedFile = (stateDir: string): string => join(stateDir, 'ticks.json');

/** The progress of earlier starts. Empty before the first start. */
export async function loadTicked(stateDir: string): Promise<Ticked> {
  const path = tickedFile(stateDir);
  if (!(await exists(path))) return new Map();
  const { tickedThrough } = await readJson(path, tickedSchema);
  return new Map(Object.entries(tickedThrough).map(([id, at]) => [id, Date.parse(at)]));
}

/** `ticked` after a run of `ruleIds` at `at`. */
export function tickedAt(ticked: Ticked, ruleIds: Iterable<string>, at: Millis): Ticked {
  const after = new Map(ticked);
  // Another cadence may run at the same time, so the next start repeats all runs of that time.
  for (const id of ruleIds) after.set(id, at - 1);
  return after;
}

export function saveTicked(stateDir: string, ticked: Ticked): Promise<void> {
  const times = [...ticked].map(([id, at]) => [id, new Date(at).toISOString()]);
  return replaceText(tickedFile(stateDir), JSON.stringify({ tickedThrough: Object.fromEntries(times) }));
}

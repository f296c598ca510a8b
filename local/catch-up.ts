import type { Rule } from '../shared/rules/rule.ts';
import type { Millis } from '../shared/runtime/clock.ts';
import { dateAt } from '../shared/time/window.ts';
import { DAY_MS } from '../shared/units/durations.ts';
import { loadTicked, type Ticked } from './catch-up-progress.ts';
import { type CatchUpSpan, catchUpSpans, type DataSpan, evaluableAt } from './catch-up-spans.ts';
import { dataSpan } from './data/data-span.ts';
import { DEMO, demoSpan, isDemoShop } from './demo-data.ts';
import { counted } from './terminal.ts';

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
  /** The span of the data of an app; `undefined` without data. */
  spanOf: (app: string) => Promise<DataSpan | undefined>;
  /** Notes for an app without data. */
  hintFor: (app: string) => string[];
  /** Whether the app is the generated demo shop. */
  isDemo?: (app: string) => Promise<boolean>;
}

/** Plans the replay of a start: for each rule, the time that has data and can be evaluated. */
export async function planCatchUp(options: CatchUpOptions): Promise<CatchUp> {
  const { rules, stateDir, now, days, spanOf, hintFor, isDemo } = options;
  const ids = rules.map(({ id }) => id);
  const ticked = await loadTicked(stateDir, ids);
  const plan: CatchUp = { spans: [], ticked, fed: [], watchesDemo: false, notes: [] };
  for (const [app, ofApp] of Map.groupBy(rules, (rule) => rule.app)) {
    plan.watchesDemo ||= (await isDemo?.(app)) ?? false;
    const data = await spanOf(app);
    if (!data) {
      plan.notes.push(...hintFor(app));
      continue;
    }
    plan.fed.push(...ofApp);
    const spans = catchUpSpans(caughtUpAlone(ofApp, ticked), data, { now, days, ticked });
    plan.spans.push(...spans);
    if (days > 0 && !ofApp.some(({ id }) => ticked.has(id)))
      plan.notes.push(...replayNote(ofApp, data, spans, { now, days }));
  }
  return plan;
}

/**
 * For figures that cannot be replayed quickly: nothing is replayed, and every rule runs once at the start. `describe`:
 * their source, as the end of a sentence.
 */
export function withoutCatchUp(rules: readonly Rule[], describe: string): CatchUp {
  const notes = [`Figures come from ${describe}. Nothing is replayed.`];
  return { spans: [], ticked: new Map(), fed: [...rules], watchesDemo: false, notes };
}

/** A composite rule cannot catch up after its members did: their past states are not stored. */
function caughtUpAlone(rules: readonly Rule[], ticked: Ticked): Rule[] {
  return rules.filter(
    ({ id, members }) => ticked.has(id) || !members?.ruleIds.some((each) => ticked.has(each)),
  );
}

/** The data of a folder, where the demo shop is generated. */
export function spansOfFolder(
  dataDir: string,
  now: Millis,
): Required<Pick<CatchUpOptions, 'spanOf' | 'hintFor' | 'isDemo'>> {
  const isDemo = async (app: string) => app === DEMO && (await isDemoShop(dataDir));
  return {
    isDemo,
    spanOf: async (app) => ((await isDemo(app)) ? demoSpan(now) : dataSpan(dataDir, app)),
    hintFor: (app) => [
      `${app}: no data in ${dataDir}, so its rules cannot be evaluated`,
      `  import some with: npx deltawatch data import FILE --app ${app}`,
    ],
  };
}

/** Empty in the normal case: the replay covers the last days up to now. */
function replayNote(
  rules: readonly Rule[],
  data: DataSpan,
  spans: readonly CatchUpSpan[],
  { now, days }: Pick<CatchUpOptions, 'now' | 'days'>,
): string[] {
  const [first] = rules;
  if (!first) return [];
  const dayOf = (at: Millis) => dateAt(at, first.zone);
  const evaluable = evaluableAt(rules, data.firstAt);
  const head = `${first.app}: data from ${dayOf(data.firstAt)} to ${dayOf(data.lastAt)}`;
  if (spans.length === 0)
    return [head, `  not replayed: nothing can be evaluated before ${dayOf(evaluable)}`];
  if (evaluable > Math.min(now, data.lastAt) - days * DAY_MS)
    return [head, `  replayed from ${dayOf(evaluable)} on: nothing can be evaluated before`];
  if (spans.every(({ throughAt }) => throughAt < now))
    return [head, `  the last ${counted(days, 'day')} are replayed`];
  return [];
}

import type { Config } from '../shared/config/config.ts';
import { aboutRule, type Finding } from '../shared/lint/findings.ts';
import {
  callsPerDay,
  callsPerQuestion,
  runningCosts,
  runsWithinAWeek,
} from '../shared/planning/call-cost.ts';
import type { ReadResult } from '../shared/readings/metric-source.ts';
import { questionFor, seriesOf } from '../shared/readings/series.ts';
import type { FigureRule, Rule } from '../shared/rules/rule.ts';
import { counted } from '../shared/text/counted.ts';
import { lastClosedWindow } from '../shared/time/window.ts';
import { DAY_MS } from '../shared/units/durations.ts';
import type { Figures } from './figures.ts';

/** What the questions of rules read in an engine that tells it. */
export interface ScannedBytes {
  questions: number;
  /** Questions without an answer, whose bytes are missing below. */
  unanswered: number;
  bytes: number;
  /** At the cadences of the rules, without the history of new rules and the drivers of alerts. */
  bytesPerDay: number;
  /** The rule whose questions read most in a day, with those that share them. */
  mostBy: string | null;
}

/** Asks each question of the rules once. `undefined` if the engine tells no bytes, or answers nothing. */
export async function scannedBytes(
  rules: Rule[],
  { sourceFor, bytesScanned = () => undefined }: Pick<Figures, 'sourceFor' | 'bytesScanned'>,
  now: number,
): Promise<ScannedBytes | undefined> {
  const found: ScannedBytes = { questions: 0, unanswered: 0, bytes: 0, bytesPerDay: 0, mostBy: null };
  let most = 0;
  const ask = async (read: () => Promise<ReadResult<unknown>>, timesPerDay: number, rule?: Rule) => {
    const before = bytesScanned() ?? 0;
    const { kind } = await read();
    const bytes = (bytesScanned() ?? 0) - before;
    found.questions += 1;
    if (kind !== 'read') found.unanswered += 1;
    found.bytes += bytes;
    found.bytesPerDay += bytes * timesPerDay;
    if (rule && bytes * timesPerDay > most) [most, found.mostBy] = [bytes * timesPerDay, rule.id];
  };
  const runsOf = runsWithinAWeek(now);
  const figureRules = rules.filter((rule): rule is FigureRule => rule.members === undefined);
  for (const [app, ofApp] of Map.groupBy(figureRules, (rule) => rule.app)) {
    const source = sourceFor(app);
    const costs = runningCosts(ofApp, runsOf);
    let others = callsPerDay(costs, runsOf);
    for (const { rules: family, callsPerDay: calls } of costs) {
      const [rule] = family;
      if (!rule) continue;
      const window = lastClosedWindow(now, seriesOf(rule).calendar);
      const perDay = calls / callsPerQuestion(family);
      await ask(() => source.read(questionFor(family, window)), perDay, rule);
      if (found.unanswered < found.questions && bytesScanned() === undefined) return undefined;
      others -= calls;
    }
    // Before its questions, a run asks for the newest event.
    await ask(() => source.readNewestEventAt(app, now - DAY_MS), others);
  }
  // Some connectors of Trino always say 0.
  return found.bytes > 0 ? found : undefined;
}

/** "one run of all rules: 9 questions, 1.2 GB; 31 GB a day at their cadences". */
export function scannedText({ questions, unanswered, bytes, bytesPerDay }: ScannedBytes): string {
  const read = `one run of all rules: ${counted(questions, 'question')}, ${sizeText(bytes)}; ${sizeText(bytesPerDay)} a day at their cadences`;
  return unanswered === 0 ? read : `${read}, without ${unanswered} that had no answer`;
}

/** Warns if the rules read more in a day than `gigabytesPerDay` of the tables. */
export function bytesOverBudget(
  { bytesPerDay, mostBy }: ScannedBytes,
  figures: Config['figures'],
): Finding[] {
  const tables = figures?.kind === 'tables' ? figures.tables : undefined;
  const { gigabytesPerDay = Infinity } = tables && 'gigabytesPerDay' in tables ? tables : {};
  if (bytesPerDay <= gigabytesPerDay * 1e9 || mostBy === null) return [];
  const message = `the rules read about ${sizeText(bytesPerDay)} a day, and gigabytesPerDay of figures.sql is ${gigabytesPerDay}; run some less often, name the partitions of the tables, or use the same filters so that rules share questions. Most of it: ${mostBy} and the rules that share its questions`;
  return aboutRule(mostBy, [{ code: 'bytes-over-budget', path: ['id'], message }]);
}

function sizeText(bytes: number): string {
  const [unit, size] = bytes < 1e9 ? (['megabyte', 1e6] as const) : (['gigabyte', 1e9] as const);
  const style = { style: 'unit', unit, maximumSignificantDigits: 2 } as const;
  return new Intl.NumberFormat('en-US', style).format(bytes / size);
}

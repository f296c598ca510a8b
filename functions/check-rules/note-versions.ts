import {
  type AppVersions,
  newVersions,
  VERSION_HOURS,
  versionNotes,
  versionQuestion,
} from '../../shared/alerts/new-versions.ts';
import type { NoteStore } from '../../shared/alerts/note.ts';
import { appsIn, NO_RULES, type RuleStore } from '../../shared/deployments/rule-store.ts';
import type { Batch } from '../../shared/planning/plan.ts';
import type { RunStore } from '../../shared/planning/run-store.ts';
import type { RangeResult } from '../../shared/readings/metric-source.ts';
import type { RangeQuestion } from '../../shared/readings/reading.ts';
import { errorText } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { CalendarWindows } from '../../shared/time/calendar-windows.ts';
import { lastClosedWindow } from '../../shared/time/window.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import type { CheckRulesDeps } from './check-rules.ts';

interface NoteVersionsDeps extends Pick<CheckRulesDeps, 'sourceFor'> {
  rules: Pick<RuleStore, 'loadCurrent'>;
  runs: Pick<RunStore, 'loadVersions' | 'saveVersions' | 'loadNewestEventAt'>;
  notes: Pick<NoteStore, 'save'>;
  logger: Logger;
}

/**
 * Notes the versions of the app of this batch that reached a share of its sessions. Asks the service once a day, with
 * spare calls. Never throws, because no evaluation depends on it: what fails is asked again a day later.
 */
export async function noteVersions(
  { app, scheduledAt }: Pick<Batch, 'app' | 'scheduledAt'>,
  deps: NoteVersionsDeps,
): Promise<void> {
  try {
    const before = await deps.runs.loadVersions(app);
    if (before && before.askedAt > scheduledAt - DAY_MS) return;
    const question = await questionOf(app, scheduledAt, deps);
    if (!question) return;
    // Before the question, so that of several runs one asks, and only once.
    const asked: AppVersions = { askedAt: scheduledAt, known: before?.known ?? null };
    if (!(await deps.runs.saveVersions(app, asked, before?.askedAt))) return;
    const answer = await deps.sourceFor(app).readRange(question, 'spare');
    if (answer.kind === 'read') await noteNew(asked, question, answer.value, deps);
    else report(app, answer, deps.logger);
  } catch (error) {
    deps.logger.warn('versions could not be noted', { app, reason: errorText(error) });
  }
}

/** The question about the last hours whose data has arrived; `undefined` if there are none, or no rules. */
async function questionOf(
  app: string,
  scheduledAt: number,
  { rules, runs }: Pick<NoteVersionsDeps, 'rules' | 'runs'>,
): Promise<RangeQuestion | undefined> {
  const ruleSet = await rules.loadCurrent(NO_RULES);
  const [zone] = (ruleSet && appsIn(ruleSet).find((each) => each.app === app)?.zones) ?? [];
  const newestDataAt = await runs.loadNewestEventAt(app);
  if (zone === undefined || newestDataAt === undefined) return undefined;
  const hours = new CalendarWindows({ grain: 'hour', zone });
  const last = lastClosedWindow(Math.min(scheduledAt, newestDataAt), hours.calendar);
  return versionQuestion(app, zone, [...hours.through(last, VERSION_HOURS)]);
}

/** Saves the known versions first: a run that dies before the notes loses them, and no run repeats one. */
async function noteNew(
  { askedAt, known: before }: AppVersions,
  { app, windows }: RangeQuestion,
  rows: Extract<RangeResult, { kind: 'read' }>['value'],
  { runs, notes }: Pick<NoteVersionsDeps, 'runs' | 'notes'>,
): Promise<void> {
  const hours = windows.map((window, i) => ({ window, rows: rows[i] ?? [] }));
  const { known, reached } = newVersions(before, hours);
  if (!(await runs.saveVersions(app, { askedAt, known }, askedAt))) return;
  for (const note of versionNotes(app, reached)) await notes.save(note);
}

/** A service that cannot answer is no trouble: its charts only have the notes of people. */
function report(app: string, { kind, reason }: Exclude<RangeResult, { kind: 'read' }>, logger: Logger): void {
  logger[kind === 'failed' ? 'warn' : 'info']('versions could not be read', { app, reason });
}

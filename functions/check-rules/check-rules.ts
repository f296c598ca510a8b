import type { Alert, AlertKey } from '../../shared/alerting/alert.ts';
import type { Check, Piece } from '../../shared/alerting/plan.ts';
import type {
  AlertStore,
  MetricSource,
  NudgeQueue,
  ReadingStore,
  ReadResult,
  RuleSet,
  RuleStore,
  RunStore,
} from '../../shared/alerting/ports.ts';
import type { Rule } from '../../shared/alerting/rule.ts';
import { seriesOf } from '../../shared/alerting/series.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { ConflictError } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { Meter } from '../../shared/runtime/metrics.ts';
import { type Gap, gatherReadings, type Need } from './gather-readings.ts';
import { type Judging, judgeHealth, judgeSeries, segmentsToJudge } from './judge-rule.ts';

export interface CheckRulesDeps {
  rules: RuleStore;
  alerts: AlertStore;
  readings: ReadingStore;
  runs: RunStore;
  sourceFor: (app: string) => MetricSource;
  nudges: NudgeQueue;
  clock: Clock;
  logger: Logger;
  meter: Meter;
}

/**
 * One piece of a tick: reads what its rules need, judges every rule, and saves each alert with one conditional
 * write that carries the new state and the messages it owes. May be run again from any point: what was judged is
 * not judged again.
 */
export async function checkRules(piece: Piece, deps: CheckRulesDeps): Promise<void> {
  const ruleSet = await deps.rules.load(piece.ruleSetVersion);
  const boards = await loadBoards(piece, ruleSet, deps.alerts);
  const newest = await newestData(piece, boards, deps);
  const families = Map.groupBy(boards, ({ rule }) => seriesOf(rule).family);
  let owing = false;
  for (const [family, members] of families) {
    const gathered = await gatherReadings(family, members, {
      readings: deps.readings,
      source: deps.sourceFor(piece.app),
      now: () => deps.clock.now(),
    });
    const judged = members.map((board) => judgeBoard(board, { ...gathered, newest, piece, ruleSet }));
    const saved = await Promise.all(judged.map((board) => saveBoard(board, deps)));
    owing ||= saved.flat().some((alert) => alert.owedAt !== null);
    report(judged, saved, deps);
  }
  await deps.runs.finishPiece(piece.tick, piece.id);
  if (owing) await deps.nudges.send([{ tick: piece.tick }]);
}

/** A rule with its due windows and all its alerts. */
interface Board extends Need {
  alerts: Map<string | null, Alert>;
}

async function loadBoards(piece: Piece, ruleSet: RuleSet, alerts: AlertStore): Promise<Board[]> {
  const rules = new Map(ruleSet.rules.map((rule) => [rule.id, rule]));
  const checks = piece.checks.flatMap((check) => {
    const rule = rules.get(check.ruleId);
    return rule ? [{ rule, check }] : [];
  });
  const whole = checks
    .filter(({ rule }) => !rule.group_by)
    .map(({ rule }) => ({ ruleId: rule.id, segment: null }));
  const segmented = checks.filter(({ rule }) => rule.group_by).map(({ rule }) => alerts.loadOfRule(rule.id));
  const stored = Map.groupBy(
    (await Promise.all([whole.length > 0 ? alerts.load(whole) : [], ...segmented])).flat(),
    ({ ruleId }) => ruleId,
  );
  return checks.map(({ rule, check }) => boardOf(rule, check, stored.get(rule.id) ?? []));
}

function boardOf(rule: Rule, { windows }: Check, stored: Alert[]): Board {
  const memories = stored.filter(({ fired, incidents }) => fired !== null || incidents.length > 0);
  return { rule, windows, memories, alerts: new Map(stored.map((alert) => [alert.segment, alert])) };
}

/** When the app's newest data was recorded: as far as any run saw, asking the service only if that is not enough. */
async function newestData(piece: Piece, boards: Board[], deps: CheckRulesDeps): Promise<ReadResult<number>> {
  const windows = boards.flatMap((board) => board.windows);
  const neededAt = Math.max(...windows.map(({ endAt }) => endAt));
  const known = await deps.runs.loadNewestEventAt(piece.app);
  if (known !== undefined && known >= neededAt) return { kind: 'read', value: known };
  const since = known ?? Math.min(...windows.map(({ startAt }) => startAt));
  const result = await deps.sourceFor(piece.app).readNewestEventAt(piece.app, since);
  if (result.kind !== 'read') return result;
  const newest = Math.max(result.value ?? -Infinity, known ?? -Infinity);
  if (Number.isFinite(newest) && newest !== known) await deps.runs.saveNewestEventAt(piece.app, newest);
  return { kind: 'read', value: newest };
}

interface JudgedBoard {
  judging: Judging;
  gap: Gap | undefined;
  board: Board;
}

/** Cuts the rule's windows where readings or fresh data end, and says why they did. */
function judgeBoard(
  board: Board,
  context: Awaited<ReturnType<typeof gatherReadings>> & {
    newest: ReadResult<number>;
    piece: Piece;
    ruleSet: RuleSet;
  },
): JudgedBoard {
  const { history, gapFor, newest, piece, ruleSet } = context;
  const newestDataAt = newest.kind === 'read' ? newest.value : -Infinity;
  const gaps = board.windows.map((window) => gapFor(board.rule, window) ?? stale(window.endAt, newest));
  const firstGap = gaps.findIndex((gap) => gap !== undefined);
  const windows = firstGap < 0 ? board.windows : board.windows.slice(0, firstGap);
  const tick = { id: piece.tick, scheduledAt: piece.scheduledAt };
  const judging = { rule: board.rule, routes: ruleSet.routes, windows, history, newestDataAt, tick };
  return { judging, gap: gaps[firstGap], board };
}

function stale(endAt: number, newest: ReadResult<number>): Gap | undefined {
  if (newest.kind !== 'read')
    return { kind: newest.kind === 'failed' ? 'failed' : 'inconclusive', reason: newest.reason };
  if (newest.value >= endAt) return undefined;
  const seen = Number.isFinite(newest.value)
    ? `its newest is of ${new Date(newest.value).toISOString()}`
    : 'it has none';
  return {
    kind: 'inconclusive',
    reason: `the app has no data past ${new Date(endAt).toISOString()}: ${seen}`,
  };
}

/** Segments first and the rule itself last: what it says was judged is then saved. */
async function saveBoard({ judging, gap, board }: JudgedBoard, deps: CheckRulesDeps): Promise<Alert[]> {
  const outcome = gap ?? { kind: 'judged' as const };
  const { rule } = judging;
  const saved: Alert[] = [];
  if (rule.group_by) {
    const segments = segmentsToJudge(judging, [...board.alerts.values()]);
    saved.push(
      ...(await Promise.all(
        segments.map((segment) =>
          saveAlert({ ruleId: rule.id, segment }, board, deps, (stored, key) =>
            judgeSeries(stored, key, judging),
          ),
        ),
      )),
    );
  }
  const whole = await saveAlert({ ruleId: rule.id, segment: null }, board, deps, (stored, key) =>
    judgeHealth(rule.group_by ? stored : judgeSeries(stored, key, judging), outcome, judging),
  );
  return [...saved, whole];
}

/** Saves what `decide` makes of the stored alert; where another run was first, of what that run stored. */
async function saveAlert(
  key: AlertKey,
  board: Board,
  { alerts }: CheckRulesDeps,
  decide: (stored: Alert | undefined, key: AlertKey) => Alert,
): Promise<Alert> {
  let stored = board.alerts.get(key.segment);
  for (;;) {
    const alert = decide(stored, key);
    if (alert === stored) return alert;
    try {
      return await alerts.save(alert);
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      [stored] = await alerts.load([key]);
    }
  }
}

function report(judged: JudgedBoard[], saved: Alert[][], { logger, meter }: CheckRulesDeps): void {
  const evaluations = judged.map(({ judging: { rule, windows } }, i) => {
    const series = rule.group_by ? (saved[i]?.length ?? 1) - 1 : 1;
    return series * windows.length;
  });
  meter.count(
    'Evaluations',
    evaluations.reduce((sum, count) => sum + count, 0),
  );
  const failed = judged.filter(({ gap }) => gap?.kind === 'failed');
  const [first] = failed;
  if (!first) return;
  meter.count('ReadsFailed', failed.length);
  const rules = failed.map(({ judging }) => judging.rule.id);
  logger.error('rules could not be judged', { rules, reason: first.gap?.reason });
}

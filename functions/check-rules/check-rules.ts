import type { Alert } from '../../shared/alerting/alert.ts';
import type { Piece } from '../../shared/alerting/plan.ts';
import type {
  AlertStore,
  MetricSource,
  NudgeQueue,
  ReadingStore,
  ReadResult,
  RuleStore,
  RunStore,
} from '../../shared/alerting/ports.ts';
import { seriesOf } from '../../shared/alerting/series.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { Meter } from '../../shared/runtime/metrics.ts';
import { type Board, type JudgedBoard, judgeBoard, loadBoards } from './boards.ts';
import { gatherReadings } from './gather-readings.ts';
import { saveBoard } from './save-board.ts';

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
    const saved = await Promise.all(judged.map((board) => saveBoard(board, deps.alerts)));
    owing ||= saved.flat().some((alert) => alert.owedAt !== null);
    report(judged, saved, deps);
  }
  await deps.runs.finishPiece(piece.tick, piece.id);
  if (owing) await deps.nudges.send([{ tick: piece.tick }]);
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

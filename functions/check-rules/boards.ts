import type { Alert } from '../../shared/alerting/alert.ts';
import type { Check, Piece } from '../../shared/alerting/plan.ts';
import type { AlertStore, ReadResult, RuleSet } from '../../shared/alerting/ports.ts';
import type { Rule } from '../../shared/alerting/rule.ts';
import type { Gap, gatherReadings, Need } from './gather-readings.ts';
import type { Judging } from './judge-rule.ts';

/** A rule with its due windows and all its alerts. */
export interface Board extends Need {
  alerts: Map<string | null, Alert>;
}

/** The piece's rules with their alerts, in two kinds of requests. A rule that the set does not hold is left out. */
export async function loadBoards(piece: Piece, ruleSet: RuleSet, alerts: AlertStore): Promise<Board[]> {
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

/** A board with what can be judged of it now, and why the rest cannot. */
export interface JudgedBoard {
  judging: Judging;
  gap: Gap | undefined;
  board: Board;
}

/** Cuts the rule's windows where readings or fresh data end, and says why they did. */
export function judgeBoard(
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

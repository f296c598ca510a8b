import type { Alert, AlertKey } from '../../shared/alerting/alert.ts';
import type { Outcome } from '../../shared/alerting/health.ts';
import type { AlertStore } from '../../shared/alerting/ports.ts';
import { ConflictError } from '../../shared/runtime/errors.ts';
import type { Board, JudgedBoard } from './boards.ts';
import { freshAlert, judgeHealth, judgeSeries, openSegments, segmentsToJudge } from './judge-rule.ts';

/** Segments first and the rule itself last: what it says was judged is then saved. */
export async function saveBoard({ judging, gap, board }: JudgedBoard, alerts: AlertStore): Promise<Alert[]> {
  const outcome: Outcome = gap ? { ...gap, progressed: judging.windows.length > 0 } : { kind: 'judged' };
  const { rule } = judging;
  const stored = [...board.alerts.values()];
  const saveEach = (segments: string[], decide: typeof judgeSeries) =>
    Promise.all(
      segments.map((segment) =>
        saveAlert({ ruleId: rule.id, segment }, board, alerts, (alert, key) => decide(alert, key, judging)),
      ),
    );
  const saved = rule.group_by
    ? await saveEach(segmentsToJudge(judging, stored), judgeSeries)
    : // A rule that had segments until it was changed: what is open of them ends.
      await saveEach(openSegments(stored), freshAlert);
  const whole = await saveAlert({ ruleId: rule.id, segment: null }, board, alerts, (stored, key) =>
    judgeHealth(rule.group_by ? stored : judgeSeries(stored, key, judging), outcome, judging),
  );
  return [...saved, whole];
}

/** Saves what `decide` makes of the stored alert; where another run was first, of what that run stored. */
async function saveAlert(
  key: AlertKey,
  board: Board,
  alerts: AlertStore,
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

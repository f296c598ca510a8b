import type { Alert, AlertKey } from '../../shared/alerting/alert.ts';
import type { Outcome } from '../../shared/alerting/health.ts';
import type { AlertStore } from '../../shared/alerting/ports.ts';
import { hasSegments } from '../../shared/alerting/rule.ts';
import { ConflictError } from '../../shared/runtime/errors.ts';
import type { JudgedBoard } from './boards.ts';
import type { ExplainFire } from './explain-fires.ts';
import { freshAlert, judgeHealth, judgeSeries } from './judge-rule.ts';
import { openSegments, segmentsToJudge } from './segments.ts';

/** What an alert becomes, given what is stored of it. */
type Decide = (stored: Alert | undefined) => Alert | Promise<Alert>;

/** Segments first and the rule itself last: what it says was judged is then saved. */
export async function saveBoard(
  { judging, gap, board }: JudgedBoard,
  alerts: AlertStore,
  explainFire: ExplainFire,
): Promise<Alert[]> {
  const outcome: Outcome = gap ? { ...gap, progressed: judging.windows.length > 0 } : { kind: 'judged' };
  const { rule } = judging;
  const known = board.alerts;
  const save = (segment: string | null, decide: (stored: Alert | undefined) => Alert) =>
    saveAlert({ ruleId: rule.id, segment }, known.get(segment), alerts, (stored) =>
      explainFire(decide(stored), judging),
    );

  if (hasSegments(rule)) {
    const segments = segmentsToJudge(judging, [...known.values()]);
    const judged = judgeSeries(known, segments, judging);
    const saved = await Promise.all(
      segments.map((segment) =>
        save(segment, (stored) => {
          // Where another run was first with this one, it is judged anew, beside the others as they were.
          const isAsKnown = stored === known.get(segment);
          const all = isAsKnown ? judged : judgeSeries(replaced(known, segment, stored), segments, judging);
          return all.get(segment) ?? freshAlert(stored, { ruleId: rule.id, segment }, judging);
        }),
      ),
    );
    return [...saved, await save(null, (stored) => judgeHealth(stored, outcome, judging))];
  }

  // A rule that had segments until it was changed: what is open of them ends.
  const ended = openSegments([...known.values()]).map((segment) =>
    save(segment, (stored) => freshAlert(stored, { ruleId: rule.id, segment }, judging)),
  );
  const whole = save(null, (stored) => {
    const judged = judgeSeries(replaced(known, null, stored), [null], judging).get(null);
    return judgeHealth(judged, outcome, judging);
  });
  return [...(await Promise.all(ended)), await whole];
}

function replaced(alerts: Map<string | null, Alert>, segment: string | null, stored: Alert | undefined) {
  const others = new Map(alerts);
  if (stored) others.set(segment, stored);
  else others.delete(segment);
  return others;
}

/** Saves what `decide` makes of the stored alert; where another run was first, of what that run stored. */
export async function saveAlert(
  key: AlertKey,
  known: Alert | undefined,
  alerts: AlertStore,
  decide: Decide,
): Promise<Alert> {
  let stored = known;
  for (;;) {
    const alert = await decide(stored);
    if (alert === stored) return alert;
    try {
      return await alerts.save(alert);
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      [stored] = await alerts.load([key]);
    }
  }
}

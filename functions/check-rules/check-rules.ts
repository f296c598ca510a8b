import type { Alert } from '../../shared/alerting/alert.ts';
import { type Almanac, Almanacs } from '../../shared/alerting/almanac.ts';
import { overdueBefore } from '../../shared/alerting/app-alert.ts';
import { digest } from '../../shared/alerting/digest.ts';
import type { Piece } from '../../shared/alerting/plan.ts';
import type {
  AlertStore,
  MetricSource,
  NudgeQueue,
  ReadingStore,
  RuleStore,
  RunStore,
} from '../../shared/alerting/ports.ts';
import { hasSegments } from '../../shared/alerting/rule.ts';
import { seriesOf } from '../../shared/alerting/series.ts';
import { severest } from '../../shared/alerting/severity.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { Meter } from '../../shared/runtime/metrics.ts';
import { type Board, type Freshness, type JudgedBoard, judgeBoard, loadBoards } from './boards.ts';
import { fireExplainer } from './explain-fires.ts';
import { type Gap, Gathering, gapOf } from './gather-readings.ts';
import { judgeComposites } from './judge-composites.ts';
import { saveAppAlert } from './save-app-alert.ts';
import { saveBoard } from './save-board.ts';

/** Families in a row that failed, after which the service counts as down: each of them waits for minutes. */
const GIVE_UP_AFTER = 3;

/**
 * How long a run may go on asking for what judgements need: what is left waits for the next one. A last question that is
 * tried four times may take a minute and a half, and all must end within Lambda's five.
 */
const READ_MS = 180_000;

/** How long a run may go on, from then, asking for the past that only helps. */
const HISTORY_MS = 30_000;

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
  const startedAt = deps.clock.now();
  const ruleSet = await deps.rules.loadCurrent();
  if (!ruleSet) throw new ConfigError('no rules were deployed, but there is a piece to check');
  const rulesOfApp = ruleSet.rules.filter(({ app }) => app === piece.app);
  const overdueBeforeAt = overdueBefore(rulesOfApp, piece.scheduledAt);
  const freshness = await freshnessOf(piece, overdueBeforeAt, deps);
  const about = { piece, rules: rulesOfApp, routes: ruleSet.routes, overdueBeforeAt };
  const appAlert = await saveAppAlert(freshness, about, deps.alerts);
  const boards = await loadBoards(piece, ruleSet, deps.alerts, freshness);
  const source = deps.sourceFor(piece.app);
  const families = await readFamilies(boards, { startedAt, source, freshness, piece, deps });
  let owing = appAlert?.owedAt != null;
  const explainFire = fireExplainer(source, () => deps.clock.now());
  for (const { members, gathering, almanac } of families) {
    const { history } = gathering;
    const gapFor = gathering.gapFor.bind(gathering);
    const context = { history, gapFor, almanac, newestDataAt: freshness.newestDataAt, piece, ruleSet };
    const judged = members.map((board) => judgeBoard(board, context));
    const saved = await Promise.all(judged.map((board) => saveBoard(board, deps.alerts, explainFire)));
    owing ||= saved.flat().some((alert) => alert.owedAt !== null);
    report(judged, saved, deps);
  }
  const composites = await judgeComposites(piece, ruleSet, deps.alerts);
  owing ||= composites.some((alert) => alert.owedAt !== null);
  await deps.runs.finishPiece(piece.tick, piece.id);
  if (owing) await deps.nudges.send([{ tick: piece.tick }]);
}

interface Family {
  members: Board[];
  gathering: Gathering;
  almanac: Almanac;
}

interface Reading {
  startedAt: number;
  source: MetricSource;
  freshness: Freshness;
  piece: Piece;
  deps: CheckRulesDeps;
}

/**
 * Reads for all families: first what new windows need, the severest rules first, then what is to be read again, and last
 * the past, which another family begins each time so that none waits for ever.
 */
async function readFamilies(boards: Board[], reading: Reading): Promise<Family[]> {
  const { startedAt, source, freshness, piece, deps } = reading;
  const now = () => deps.clock.now();
  const { scheduledAt } = piece;
  const asking = { readings: deps.readings, source, now, scheduledAt, readUntilAt: startedAt + READ_MS };
  const almanacs = new Almanacs();
  const families: Family[] = [];
  for (const [family, members] of bySeverity(boards)) {
    const [first] = members;
    if (!first) continue;
    const almanac = almanacs.of(seriesOf(first.rule).calendar);
    const gathering = await Gathering.begin(family, members, { ...asking, almanac });
    families.push({ members, gathering, almanac });
  }
  const trouble = await inTurn(families, freshness.trouble, (gathering, known) =>
    gathering.readNeeded(known),
  );
  await inTurn(families, trouble, (gathering, known) => gathering.readAgain(known));
  const historyUntilAt = now() + HISTORY_MS;
  for (const { gathering } of rotated(families, piece.tick)) await gathering.readHistory(historyUntilAt);
  return families;
}

function bySeverity(boards: Board[]): [string, Board[]][] {
  const families = [...Map.groupBy(boards, ({ rule }) => seriesOf(rule).family)];
  const severity = (members: Board[]) => severest(members.map(({ rule }) => rule));
  return families.sort(([, a], [, b]) => severity(b) - severity(a));
}

/** Lets one family after another read, and tells the next ones why that is in vain, if one found out. */
async function inTurn(
  families: Family[],
  known: Gap | undefined,
  read: (gathering: Gathering, trouble: Gap | undefined) => Promise<void>,
): Promise<Gap | undefined> {
  let trouble = known;
  let failures = 0;
  for (const { gathering } of families) {
    await read(gathering, trouble);
    failures = gathering.failure ? failures + 1 : 0;
    trouble = gathering.trouble ?? (failures >= GIVE_UP_AFTER ? gathering.failure : undefined);
  }
  return trouble;
}

/** Beginning at any of them, as the tick will have it: cadences go round as regularly as a count would. */
function rotated<T>(all: T[], tick: string): T[] {
  const first = Number.parseInt(digest(tick).slice(0, 8), 16) % Math.max(1, all.length);
  return [...all.slice(first), ...all.slice(0, first)];
}

/** How far the app's data reach: as far as any run saw, asking the service only if that is not enough. */
async function freshnessOf(piece: Piece, overdueBeforeAt: number, deps: CheckRulesDeps): Promise<Freshness> {
  const windows = piece.checks.flatMap((check) => check.windows);
  const neededAt = Math.max(overdueBeforeAt, ...windows.map(({ endAt }) => endAt));
  const known = await deps.runs.loadNewestEventAt(piece.app);
  if (known !== undefined && known >= neededAt) return { newestDataAt: known };
  const since = known ?? Math.min(overdueBeforeAt, ...windows.map(({ startAt }) => startAt));
  const result = await deps.sourceFor(piece.app).readNewestEventAt(piece.app, since);
  const knownAt = known ?? -Infinity;
  if (result.kind !== 'read') return { newestDataAt: knownAt, trouble: gapOf(result) };
  const newestDataAt = Math.max(result.value ?? -Infinity, knownAt);
  if (newestDataAt > knownAt) await deps.runs.saveNewestEventAt(piece.app, newestDataAt);
  return { newestDataAt };
}

function report(judged: JudgedBoard[], saved: Alert[][], { logger, meter }: CheckRulesDeps): void {
  const evaluations = judged.map(({ judging: { rule, windows } }, i) => {
    const series = hasSegments(rule) ? (saved[i]?.length ?? 1) - 1 : 1;
    return series * windows.length;
  });
  meter.count(
    'Evaluations',
    evaluations.reduce((sum, count) => sum + count, 0),
  );
  for (const [kind, boards] of Map.groupBy(judged, ({ gap }) => gap?.kind)) {
    if (!kind) continue;
    if (kind === 'failed') meter.count('ReadsFailed', boards.length);
    const fields = { rules: boards.map(({ judging }) => judging.rule.id), reason: boards[0]?.gap?.reason };
    // A small app is late with its first event of an hour every night; only a stop is news, and is told.
    logger[kind === 'failed' ? 'error' : 'info']('rules could not be judged', fields);
  }
}

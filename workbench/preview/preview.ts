import { compose } from '../../functions/notify/compose.ts';
import type { Archive } from '../../local/replay/archive.ts';
import { replay } from '../../local/replay/replay.ts';
import type { ReplayedWindow } from '../../local/replay/replayed.ts';
import { terminalLogger } from '../../local/terminal.ts';
import type { Transition } from '../../shared/alerts/transitions.ts';
import { appsIn, type RuleSet } from '../../shared/deployments/rule-store.ts';
import type { Evaluation } from '../../shared/evaluation/evaluation.ts';
import type { Message } from '../../shared/messages/message.ts';
import { verdictText } from '../../shared/messages/verdict-text.ts';
import type { PendingNotification } from '../../shared/notifications/pending.ts';
import type { ReadingRow } from '../../shared/readings/reading.ts';
import { seriesKeyOf } from '../../shared/readings/series.ts';
import { namesIn } from '../../shared/rules/formula.ts';
import { type RowMetric, rowMetricOf } from '../../shared/rules/metric.ts';
import type { FigureRule, Rule } from '../../shared/rules/rule.ts';
import { metricOf } from '../../shared/rules/watched-metric.ts';
import type { Window } from '../../shared/time/window.ts';
import { DAY_MS } from '../../shared/units/durations.ts';

export interface PreviewRequest {
  rule: Rule;
  /** The rule and its members. */
  ruleSet: RuleSet;
  archive: Archive;
  span: Window;
  transition: Transition;
  signal?: AbortSignal | undefined;
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/** `at`: of the run that found it. `isMadeUp`: the latest figures were changed until it happened. */
export type Preview =
  | { kind: 'message'; message: Message; at: number; isMadeUp: boolean }
  | { kind: 'none'; reason: string };

/** The rule's last message of this transition in the period, or an invented example of a fire. */
export async function previewOf(request: PreviewRequest): Promise<Preview> {
  const { rule, transition, span } = request;
  const past = await lastOf(request, span);
  if (past.pending) return messageOf(past.pending, request, false);
  const never = `no "${transition}" of ${rule.id} would have been sent in this period`;
  if (transition !== 'fired') return { kind: 'none', reason: never };
  if (rule.members)
    return { kind: 'none', reason: `${never}, and it has no figures of its own: preview its members` };
  if (!past.last) return { kind: 'none', reason: `${never}, and none of its windows could be evaluated` };
  return madeUp(request, rule, past.last);
}

async function messageOf(
  pending: PendingNotification,
  { ruleSet }: PreviewRequest,
  isMadeUp: boolean,
): Promise<Preview> {
  const message = await compose([pending], appsIn(ruleSet), { logger: terminalLogger });
  return { kind: 'message', message, at: pending.notification.since, isMadeUp };
}

/**
 * Replays the rule as if it were not quiet. `pending`: its last notification of this transition, alone. `newest`: the last
 * evaluated window, and `last`: the largest series at that time, of hours that of a day, as nights have little volume.
 */
async function lastOf(request: PreviewRequest, span: Window, archive = request.archive) {
  const { rule, ruleSet, transition, signal, onProgress } = request;
  const rules = ruleSet.rules.map((each) => (each.id === rule.id ? { ...each, quiet: false } : each));
  let pending: PendingNotification | undefined;
  let latest: ReplayedWindow[] = [];
  const events = replay({
    ...{ ruleSet: { ...ruleSet, rules }, figures: archive, from: span.startAt, to: span.endAt },
    ...{ signal, onProgress },
  });
  for await (const event of events) {
    if (event.kind === 'evaluated' && event.ruleId === rule.id) latest = among(latest, event);
    if (event.kind !== 'sent') continue;
    const own = event.pending.find(
      ({ alert, notification }) => alert.ruleId === rule.id && notification.transition === transition,
    );
    if (own) pending = own;
  }
  const sizeOf = ({ evaluation: { current } }: ReplayedWindow) => current.weight ?? current.value ?? 0;
  const [last] = latest.toSorted((a, b) => sizeOf(b) - sizeOf(a));
  return { pending, last, newest: latest.at(-1) };
}

/** The windows of a day with `next`. Those without a value count only if there are no others. */
function among(latest: ReplayedWindow[], next: ReplayedWindow): ReplayedWindow[] {
  const { window, value } = next.evaluation.current;
  if (value === null) return latest.length > 0 ? latest : [next];
  const isOfDay = ({ current }: Evaluation) =>
    current.value !== null && current.window.endAt > window.endAt - DAY_MS;
  return [...latest.filter(({ evaluation }) => isOfDay(evaluation)), next];
}

/** Factors of the last figures that are tried until the rule fires. */
const FALLS = [0.75, 0.5, 0.2, 0];
const RISES = [1.5, 2, 5, 20, 100];

async function madeUp(request: PreviewRequest, rule: FigureRule, last: ReplayedWindow): Promise<Preview> {
  const { window } = last.evaluation.current;
  const length = window.endAt - window.startAt;
  const afterAt = window.endAt - (rule.fire_after.windows - 0.5) * length;
  const span = { startAt: afterAt - 3 * length, endAt: request.span.endAt };
  const sides = Object.values(rule.fire ?? {}).flatMap((side) => side ?? []);
  const falls = rule.fire ? sides.some(({ below }) => below !== undefined) : rule.anomaly !== 'rise';
  let reason = '';
  for (const factor of falls ? FALLS : RISES) {
    const archive = altered(request.archive, rule, { segment: last.segment, afterAt, factor });
    const { pending, newest } = await lastOf(request, span, archive);
    if (pending) return messageOf(pending, request, true);
    reason = newest ? verdictText(newest.evaluation, rule.zone) : 'it could not be evaluated';
  }
  const farthest = falls ? 'a fall to nothing' : `a rise to ${RISES.at(-1)} times as much`;
  return { kind: 'none', reason: `even ${farthest} would not fire ${rule.id} now: ${reason}` };
}

/** An invented figure of one series: windows that end after `afterAt` are multiplied by `factor`. */
interface Alteration {
  segment: string | null;
  afterAt: number;
  factor: number;
}

/** The same history with that change: of a ratio, its first event changes; of a quotient, all figures above the line. */
function altered(archive: Archive, rule: FigureRule, alteration: Alteration): Archive {
  const { segment, afterAt, factor } = alteration;
  const metrics = alteredMetrics(rowMetricOf(metricOf(rule)));
  const { eventName } = seriesKeyOf(rule, segment);
  const isOfSeries = (row: ReadingRow) =>
    (eventName === undefined || row.eventName === eventName) &&
    (segment === null || rule.funnel !== undefined || row.segment === segment);
  const alter = (row: ReadingRow): ReadingRow => {
    if (!isOfSeries(row) || !row.current) return row;
    const current = { ...row.current };
    for (const { key, kind } of metrics) {
      const value = current[key];
      if (typeof value === 'number')
        current[key] = kind === 'count' ? Math.round(value * factor) : value * factor;
    }
    return { ...row, current };
  };
  return {
    ...archive,
    rowsOf(subject, window) {
      const rows = archive.rowsOf(subject, window);
      return window.endAt > afterAt ? rows?.map(alter) : rows;
    },
  };
}

function alteredMetrics(metric: RowMetric): RowMetric[] {
  if (!('computed' in metric)) return [metric];
  const { parts, of } = metric.computed;
  return namesIn(of).flatMap((name) => parts.get(name) ?? []);
}

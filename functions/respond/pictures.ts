import { Hono } from 'hono';
import type { Alert, AlertKey } from '../../shared/alerts/alert.ts';
import type { AlertStore } from '../../shared/alerts/alert-store.ts';
import type { NoteStore } from '../../shared/alerts/note.ts';
import { pngOf } from '../../shared/charts/png.ts';
import { OTHERS } from '../../shared/contract/grouping.ts';
import type { RuleStore } from '../../shared/deployments/rule-store.ts';
import { type Chart, chartOf, chartRange, type Shown } from '../../shared/messages/chart.ts';
import type { LinkSigner } from '../../shared/messages/link-purposes.ts';
import { History } from '../../shared/readings/history.ts';
import type { ReadingStore } from '../../shared/readings/reading-store.ts';
import { seriesKeyOf, seriesOf } from '../../shared/readings/series.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { CalendarWindows } from '../../shared/time/calendar-windows.ts';

export interface PictureDeps {
  rules: Pick<RuleStore, 'loadCurrent'>;
  alerts: Pick<AlertStore, 'load' | 'loadOfRule'>;
  readings: Pick<ReadingStore, 'load'>;
  notes: Pick<NoteStore, 'load'>;
}

/** The chart up to the window that ends at `throughAt`. `undefined` if it has no rule, no figures or no readings. */
export async function pictureOf(
  { ruleId, segment, throughAt }: AlertKey & { throughAt: number },
  { rules, alerts, ...deps }: PictureDeps,
): Promise<Chart | undefined> {
  const ruleSet = await rules.loadCurrent({ ids: new Set([ruleId]) });
  const rule = ruleSet?.rules.find(({ id }) => id === ruleId);
  if (!rule || rule.members) return undefined;
  const [alert] = await alerts.load([{ ruleId, segment }]);
  return loadChart({ rule, segment, throughAt }, alert, { alerts, ...deps });
}

/** The chart of `alert`, with the notes of its app through `notesThroughAt`. `undefined` if no readings are stored. */
export async function loadChart(
  shown: Shown,
  alert: Alert | undefined,
  { alerts, readings, notes }: Omit<PictureDeps, 'rules'>,
  notesThroughAt = shown.throughAt,
): Promise<Chart | undefined> {
  const { rule, segment } = shown;
  const { family, calendar, eventNames } = seriesOf(rule);
  const calendarWindows = new CalendarWindows(calendar);
  const range = chartRange(shown, alert, calendarWindows);
  const [snapshots, others] = await Promise.all([
    readings.load(family, range, eventNames.length > 0 ? eventNames : undefined),
    segment === OTHERS ? alerts.loadOfRule(rule.id) : [],
  ]);
  const series = seriesKeyOf(rule, segment, watchedAt(shown.throughAt, others));
  const chart = chartOf(shown, series, { history: new History(snapshots), alert, calendarWindows });
  if (!chart) return undefined;
  const { startAt: fromAt } = chart.points[0].window;
  const found = await notes.load({ app: rule.app, fromAt, throughAt: notesThroughAt });
  return found.length === 0 ? chart : { ...chart, notes: found.toReversed() };
}

/** The segments with an evaluation of their own at `throughAt`. "Others" is the sum of the rest. */
function watchedAt(throughAt: number, alerts: Alert[]): Set<string> {
  const evaluated = alerts.filter(({ evaluatedThroughAt }) => evaluatedThroughAt >= throughAt);
  return new Set(evaluated.flatMap(({ segment }) => (segment === OTHERS ? [] : (segment ?? []))));
}

interface PictureLinkDeps extends PictureDeps {
  signer: LinkSigner;
  clock: Clock;
  logger: Logger;
}

/** The chart images of messages. A chart does not change while its link is valid. */
export function pictureLinks(deps: PictureLinkDeps): Hono {
  const { signer, clock, logger } = deps;
  const app = new Hono();
  app.get('/:file', async (c) => {
    const verified = await signer.verify('picture', c.req.param('file').replace(/\.png$/, ''));
    if (verified.kind !== 'valid') return c.body(null, verified.kind === 'expired' ? 410 : 404);
    const seconds = Math.max(0, Math.floor((verified.expiresAt - clock.now()) / 1000));
    try {
      const chart = await pictureOf(verified.claims, deps);
      if (!chart) return c.body(null, 404);
      const kept = { 'Content-Type': 'image/png', 'Cache-Control': `private, max-age=${seconds}, immutable` };
      return c.body(Uint8Array.from(await pngOf(chart)), 200, kept);
    } catch (error) {
      // The cause is for the log, not for readers of the message.
      logger.error('a chart could not be rendered', { error });
      return c.body(null, 500);
    }
  });
  return app;
}

import { readArchive } from '../../local/replay/archive.ts';
import { replay } from '../../local/replay/replay.ts';
import type { ReplayEvent } from '../../local/replay/replayed.ts';
import { percentText } from '../../shared/messages/figure-text.ts';
import { routesSchema } from '../../shared/notifications/routes.ts';
import type { MetricSource } from '../../shared/readings/metric-source.ts';
import type { RuleInput } from '../../shared/rules/define-rules.ts';
import { groupName } from '../../shared/rules/group-by.ts';
import { buildFigureRule, type FigureRule, type Rule, ruleSetEntrySchema } from '../../shared/rules/rule.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { canonical } from '../../shared/text/content-hash.ts';
import { windowEnding } from '../../shared/time/window.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import { type Candidate, candidatesFor } from './candidates.ts';
import type { AppProfile } from './profile.ts';
import { defaultsFor, type StarterRule, withIds } from './starter-files.ts';
import {
  alertsOf,
  boundsFor,
  levelFor,
  type PastAlert,
  quietOf,
  type Variation,
  variationsIn,
} from './thresholds.ts';

export interface ProposeRequest {
  app: string;
  zone: string;
  profile: AppProfile;
  sourceFor: (app: string) => MetricSource;
  /** The beginning and the end of the data. */
  since: number;
  until: number;
  signal?: AbortSignal | undefined;
  onProgress?: ((done: number, total: number) => void) | undefined;
}

const ROUTES = routesSchema.parse({
  channels: { none: { webhook: { url_secret: 'none', signing_secret: 'none' } } },
  default: ['none'],
});

/** Days from which variations are known: many, as an incident may be among them. */
const VARIED_DAYS = 56;
/** Days that the rules are tried on. */
const TRIED_DAYS = 35;
/** Days of the first baselines. */
const LEAD_DAYS = 28;
const MONTH_DAYS = 30;
/** A rule that would have fired more often is made less sensitive, and at last left out. */
const MOST_ALERTS_A_MONTH = 1;
const FACTORS = [1, 1.4, 2] as const;
/** Windows from which a variation is known. */
const LEAST_WINDOWS = 4;

interface Draft {
  candidate: Candidate;
  /** Without bounds. */
  entry: RuleInput;
}

/**
 * Rules for an app, the most important first: its candidates with bounds from how their figures varied, tried on the
 * last weeks. A rule that would have fired more than once a month gets wider bounds, or is left out.
 */
export async function propose(request: ProposeRequest): Promise<StarterRule[]> {
  const { app, zone, since, until, profile, sourceFor, signal, onProgress } = request;
  const drafts: Draft[] = withIds(
    app,
    candidatesFor(profile).map((candidate) => ({ candidate, entry: draftOf(candidate, request) })),
    // The name of an event or a property may be longer than a rule can have.
  ).filter(({ entry }) => ruleSetEntrySchema.safeParse({ ...entry, ...SILENT }).success);
  const from = until - VARIED_DAYS * DAY_MS;
  const silent = drafts.map(({ entry }) => ruleOf({ ...entry, ...SILENT }));
  const figures = await readArchive({
    ...{ rules: silent, from: from - LEAD_DAYS * DAY_MS, to: until, sourceFor },
    ...{ clock: new ManualClock(until), signal, onProgress },
  });
  const eventsOf = async (rules: FigureRule[], startAt: number): Promise<ReplayEvent[]> => {
    if (rules.length === 0) return [];
    const ruleSet = { version: '', rules, routes: ROUTES };
    return Array.fromAsync(replay({ ruleSet, figures, from: startAt, to: until, signal }));
  };
  const variations = variationsIn(await eventsOf(silent, from));
  const days = Math.min(TRIED_DAYS, Math.ceil((until - since) / DAY_MS));
  const found = new Map<Draft, StarterRule>();
  for (const factor of FACTORS) {
    const tried = drafts.flatMap((draft) => {
      const variation = found.has(draft) ? undefined : variations.get(draft.entry.id);
      const entry = variation && boundedEntry(draft, variation, factor);
      return entry ? [{ draft, entry }] : [];
    });
    const events = await eventsOf(
      tried.map(({ entry }) => ruleOf(entry)),
      until - TRIED_DAYS * DAY_MS,
    );
    for (const { draft, entry } of tried) {
      const alerts = alertsOf(entry.id, events);
      if (incidentsOf(alerts) > (MOST_ALERTS_A_MONTH * TRIED_DAYS) / MONTH_DAYS) continue;
      found.set(draft, { comment: [draft.candidate.why, pastText(alerts, days, zone)], entry });
    }
  }
  return drafts.flatMap((draft) => found.get(draft) ?? []);
}

/** "It would have fired once in the last 35 days: on 2 Jun (France, -42%)." */
function pastText(alerts: readonly PastAlert[], days: number, zone: string): string {
  const [first] = alerts;
  if (!first) return `It would not have fired in the last ${days} days.`;
  const { startAt } = windowEnding(first.at, { grain: 'day', zone });
  const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: zone });
  const by = first.change === null ? 'new' : percentText(first.change);
  const times = alerts.length === 1 ? 'once' : `${alerts.length} times`;
  const where = [...(first.segment === null ? [] : [first.segment]), by].join(', ');
  return `It would have fired ${times} in the last ${days} days, first on ${day.format(startAt)} (${where}).`;
}

/** Alerts of several segments within two days are one incident. */
function incidentsOf(alerts: readonly PastAlert[]): number {
  const times = alerts.map(({ at }) => at).toSorted((a, b) => a - b);
  return times.filter((at, i) => i === 0 || at - (times[i - 1] ?? 0) > 2 * DAY_MS).length;
}

function ruleOf(entry: RuleInput): FigureRule {
  return buildFigureRule(ruleSetEntrySchema.parse(entry));
}

/** Evaluated, but never with enough volume to fire. */
const SILENT = {
  fire: { change: { above: '400%', below: '-90%' } },
  minimum: { current: Number.MAX_SAFE_INTEGER },
} as const;

function boundedEntry(
  { candidate, entry }: Draft,
  variation: Variation,
  factor: number,
): RuleInput | undefined {
  const { fires } = candidate;
  const isKnown = variation.windows >= LEAST_WINDOWS;
  if (fires === 'above a level') {
    const level = levelFor(variation.shares, factor);
    return level && { ...entry, ...level };
  }
  if (!isKnown) return { ...entry, ...withoutPast(fires, entry, variation) };
  const bounds = boundsFor(fires, variation, factor, entry.every.startsWith('monday') ? 'week' : 'day');
  // The bounds are so wide that the test would only delay them.
  return bounds && { ...entry, ...bounds, confidence: 0.7 };
}

/** Bounds of a figure without a past: of a release, which the one before is compared with, or of very young data. */
function withoutPast(
  side: 'above' | 'below',
  { group_by }: RuleInput,
  { size }: Variation,
): Pick<RuleInput, 'fire' | 'minimum'> {
  const isOfReleases = group_by === 'app_version';
  const change = side === 'above' ? (isOfReleases ? '50%' : '100%') : isOfReleases ? '-35%' : '-50%';
  return {
    fire: { change: { [side]: change } },
    ...(group_by === undefined && { minimum: { baseline: quietOf(size) } }),
  };
}

function draftOf(candidate: Candidate, { app, zone, profile }: ProposeRequest): RuleInput {
  const { id, title, runbook, severity, watches } = candidate;
  return {
    ...{ id, title, ...defaultsFor(app, zone), ...(severity && { severity }), runbook, ...watches },
    // Its silences differ, so one that is a little longer says nothing.
    ...(profile.isOftenSilent && { grace: '24 hours' }),
  };
}

/** Whether the rule watches the figure of the entry, by the same groups. Its bounds and its times may differ. */
export function watchesTheSame(rule: Rule, entry: RuleInput): boolean {
  if (rule.members || rule.app !== entry.app) return false;
  const other = buildFigureRule(ruleSetEntrySchema.parse(entry));
  const figure = (of: typeof other) =>
    canonical([of.metric, of.ratio, of.filters, of.funnel, of.formula, groupName(of)]);
  return figure(rule) === figure(other);
}

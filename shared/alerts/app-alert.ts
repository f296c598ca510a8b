import * as z from 'zod';
import { isCount, type Rule } from '../rules/rule.ts';
import { cadenceName } from '../time/cadence.ts';
import { type Alert, type AlertKey, newAlert, quiet, type Step } from './alert.ts';
import { REMEMBERED_INCIDENTS, unacknowledged } from './alert-states.ts';

/** A rule cannot have this id: rule ids are slugs. */
const PREFIX = 'app:';

/** The key of an app alert, which fires while the app sends no data. */
export function appAlertKey(app: string): AlertKey {
  return { ruleId: `${PREFIX}${app}`, segment: null };
}

/** The app of an app alert; `undefined` for the alert of a rule. */
export function appOf({ ruleId }: Pick<AlertKey, 'ruleId'>): string | undefined {
  return ruleId.startsWith(PREFIX) ? ruleId.slice(PREFIX.length) : undefined;
}

export function newAppAlert(app: string): Alert {
  return newAlert(appAlertKey(app), 'app', 0);
}

export const watchedAppSchema = z.object({
  app: z.string(),
  owners: z.array(z.string()),
  zones: z.array(z.string()),
  /** How long the app may send nothing: the strictest rule decides. */
  patienceMinutes: z.number(),
  /** The rules that watch one count and are not quiet, by the name of their cadence. */
  counts: z.record(z.string(), z.number()),
});
/** What all rules of an app say about it together. */
export type WatchedApp = z.infer<typeof watchedAppSchema>;

export function watchedApps(rules: Rule[]): WatchedApp[] {
  return [...Map.groupBy(rules, ({ app }) => app)].map(([app, own]) => {
    const counted = own.filter((rule) => isCount(rule) && !rule.quiet);
    const byCadence = Map.groupBy(counted, ({ cadence }) => cadenceName(cadence));
    return {
      app,
      owners: [...new Set(own.map(({ owner }) => owner))],
      zones: [...new Set(own.map(({ zone }) => zone))],
      patienceMinutes: own.reduce((least, { settle, grace }) => Math.min(least, settle + grace), Infinity),
      counts: Object.fromEntries([...byCadence].map(([name, { length }]) => [name, length])),
    };
  });
}

/** The routing subject: critical, with the owner if all rules of the app share one. */
export function appAddressee({ app, owners: [owner = '', ...others] }: WatchedApp): Addressee {
  return {
    id: appAlertKey(app).ruleId,
    app,
    owner: others.length === 0 ? owner : '',
    severity: 'critical',
  };
}

/** Data older than this is overdue at `scheduledAt`. */
export function overdueBefore({ patienceMinutes }: WatchedApp, scheduledAt: number): number {
  return scheduledAt - patienceMinutes * 60_000;
}

/** What a run saw of an app. */
export interface SeenOfApp {
  newestDataAt: number;
  /** Older data is overdue, unless the app is usually silent for longer. */
  overdueBeforeAt: number;
  scheduledAt: number;
}

/** A silence may last longer than usual by this factor. */
const LONGER = 1.25;

/** Whether the newest data is overdue, before what is usual is known. */
export function mayHaveStopped(alert: Alert, { newestDataAt, overdueBeforeAt }: SeenOfApp): boolean {
  return Number.isFinite(newestDataAt) && alert.state === 'normal' && newestDataAt < overdueBeforeAt;
}

/**
 * Updates an app alert for one run (`scheduledAt`). It notifies once when the newest data is overdue and once when
 * data arrives, however many rules and runs find it. A run no later than the last change has no effect. Its incidents
 * are the times without data, up to the last run that found none.
 */
export function advanceApp(alert: Alert, { newestDataAt, overdueBeforeAt, scheduledAt }: SeenOfApp): Step {
  if (scheduledAt <= alert.evaluatedThroughAt) return quiet(alert);
  const isKnown = Number.isFinite(newestDataAt);
  if (!isKnown && alert.state === 'normal') return quiet(alert);
  const usualMs = LONGER * (alert.usualSilence?.ms ?? 0);
  const isOverdue = newestDataAt < Math.min(overdueBeforeAt, scheduledAt - usualMs);
  const state = isOverdue ? 'firing' : 'normal';
  const app = appOf(alert) ?? alert.ruleId;
  if (state === alert.state) return quiet(isOverdue ? silentThrough(alert, scheduledAt) : alert);
  const changed: Alert = {
    ...unacknowledged(alert),
    state,
    stateSinceAt: scheduledAt,
    evaluatedThroughAt: scheduledAt,
  };
  if (state === 'normal')
    return {
      alert: changed,
      news: [{ transition: 'resumed', reason: { code: 'app-resumed', app, newestDataAt } }],
    };
  const silence = { startAt: isKnown ? newestDataAt : overdueBeforeAt, endAt: scheduledAt };
  const newest = isKnown ? newestDataAt : null;
  return {
    alert: { ...changed, incidents: [...alert.incidents, silence].slice(-REMEMBERED_INCIDENTS) },
    news: [
      {
        transition: 'stopped',
        reason: {
          ...{ code: 'app-stopped', app, newestDataAt: newest, overdueBeforeAt },
          ...(usualMs > 0 && { usualMs: usualMs / LONGER }),
        },
      },
    ],
  };
}

function silentThrough(alert: Alert, scheduledAt: number): Alert {
  const silence = alert.incidents.at(-1);
  if (!silence) return alert;
  const incidents = [...alert.incidents.slice(0, -1), { ...silence, endAt: scheduledAt }];
  return { ...alert, incidents, evaluatedThroughAt: scheduledAt };
}

/** The routing subject: a rule or an app alert. */
export type Addressee = Pick<Rule, 'id' | 'app' | 'owner' | 'severity'> &
  Partial<Pick<Rule, 'quiet'>> & { segment?: string | null };

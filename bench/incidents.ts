import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readRules } from '../cli/options/read-rules.ts';
import { type Incident, incidentsBetween } from '../local/data/demo/incidents.ts';
import { openDataAccess } from '../local/data-access.ts';
import { demoDataFor } from '../local/demo-data.ts';
import { OTHERS } from '../shared/contract/grouping.ts';
import { onlyGroupOf } from '../shared/rules/group-by.ts';
import { eventRatioOf } from '../shared/rules/ratio.ts';
import type { FigureRule, Rule } from '../shared/rules/rule.ts';
import { DAY_MS } from '../shared/units/durations.ts';
import { type SimulatedNotification, type SimulationOptions, simulated } from './simulate.ts';
import { isTeamEngine, openTeamTables, TEAM_ENGINES } from './team-tables.ts';

const FROM = Date.UTC(2026, 4, 4);
const DAYS = 56;
const ZONE = 'Europe/Berlin';
/** The first days only provide history for the rules. Incidents and alerts in them are not counted. */
const LEARNING_DAYS = 7;

/** The rule and segment whose alert must report the incident. */
function expectedAlertOf(incident: Incident): { rule: string; segment: string | null } {
  switch (incident.kind) {
    case 'rage-surge':
      return { rule: 'checkout-rage-by-android-version', segment: incident.appVersion };
    case 'new-users-drop':
      return { rule: 'new-users', segment: null };
    case 'event-stops':
      return { rule: `${incident.eventName.replaceAll('_', '-')}-by-country`, segment: incident.country };
  }
}

/**
 * Simulates the demo rules with demo shops of several seeds (20, or the first option). Measures the share of injected
 * incidents that are found, the number of windows after their start, and the false alerts per app and 30 days. An
 * incident explains an alert if metric, filters, segment and direction match. A second option, such as `clickhouse`, also
 * simulates each shop over the same rows in tables of that engine: `sameOverTables` counts shops with the same
 * notifications.
 */
export async function run([seeds = '20', engine]: string[]) {
  if (engine !== undefined && !isTeamEngine(engine))
    throw new Error(`${engine} is no engine: use one of ${TEAM_ENGINES.join(', ')}`);
  let sameOverTables = 0;
  const ruleSet = await readRules('rules');
  const span = { from: FROM, to: FROM + DAYS * DAY_MS };
  const state = await mkdtemp(join(tmpdir(), 'deltawatch-incidents-'));
  const results = [];
  for (let seed = 1; seed <= Number(seeds); seed++) {
    const dataDir = await demoDataFor({ ...span, seed }, state);
    const notifications = await simulated({ ruleSet, ...span, dataDir });
    if (engine !== undefined) {
      await using shop = await openTeamTables(engine, { directory: dataDir, apps: ['demo'], zone: ZONE });
      const { apps, tables } = shop;
      const open: SimulationOptions['open'] = (given) =>
        openDataAccess({ kind: 'tables', apps, tables, describe: 'tables' }, given);
      const found = await simulated({ ruleSet, ...span, dataDir, open });
      if (isDeepStrictEqual(found, notifications)) sameOverTables++;
      else {
        process.exitCode = 1;
        console.error(differences(notifications, found).join('\n'));
      }
    }
    await rm(dataDir, { recursive: true });
    const result = score(seed, notifications, ruleSet.rules);
    results.push(result);
    console.error(
      `seed ${String(seed).padStart(2)}: found ${result.found.length} of ${result.incidents}, ${result.falseAlerts.length} false` +
        result.falseAlerts
          .map(
            (each) =>
              `\n  ${each.transition} ${each.rule} ${each.segment ?? ''} ${each.windowEnd} ${each.baseline} to ${each.current}`,
          )
          .join('') +
        result.missed
          .map(
            (each) =>
              `\n  missed ${each.kind} ${JSON.stringify(expectedAlertOf(each))} from ${new Date(each.startsAt).toISOString()}`,
          )
          .join(''),
    );
  }
  await rm(state, { recursive: true });
  return { ...summary(results), ...(engine !== undefined && { sameOverTables }) };
}

/** What only one of the two lists has. */
function differences(service: readonly SimulatedNotification[], tables: readonly SimulatedNotification[]) {
  const [ours, theirs] = [service, tables].map((list) => list.map((each) => JSON.stringify(each)));
  return [
    ...(ours ?? [])
      .filter((each) => !theirs?.includes(each))
      .map((each) => `  only over the service: ${each}`),
    ...(theirs ?? []).filter((each) => !ours?.includes(each)).map((each) => `  only over tables: ${each}`),
  ];
}

function score(seed: number, notifications: SimulatedNotification[], rules: Rule[]) {
  const countedFrom = FROM + LEARNING_DAYS * DAY_MS;
  const incidents = incidentsBetween(seed, FROM, FROM + DAYS * DAY_MS);
  const counted = incidents.filter(
    ({ startsAt, endsAt }) => startsAt >= countedFrom && endsAt <= FROM + DAYS * DAY_MS,
  );
  const fires = notifications.filter(({ transition }) => transition === 'fired');
  const found = counted.flatMap((incident) => {
    const fire = fires.find((each) => isExpectedAlert(each, incident, rules));
    return fire
      ? [
          {
            kind: incident.kind,
            windows: Math.ceil((Date.parse(fire.windowEnd) - incident.startsAt) / DAY_MS),
          },
        ]
      : [];
  });
  const missed = counted.filter((incident) => !fires.some((each) => isExpectedAlert(each, incident, rules)));
  const falseAlerts = notifications.filter(
    (each) =>
      Date.parse(each.windowEnd) > countedFrom &&
      (each.transition === 'fired' || each.transition === 'failing' || each.transition === 'broken') &&
      !incidents.some((incident) => explains(incident, each, rules)),
  );
  return { incidents: counted.length, found, missed, falseAlerts };
}

/** Whether the notification is of the expected rule and segment, and the incident explains it. */
function isExpectedAlert(notification: SimulatedNotification, incident: Incident, rules: Rule[]): boolean {
  const expected = expectedAlertOf(incident);
  return (
    notification.rule === expected.rule &&
    notification.segment === expected.segment &&
    explains(incident, notification, rules)
  );
}

/** Whether the incident explains the notification. It must overlap the window. */
function explains(incident: Incident, notification: SimulatedNotification, rules: Rule[]): boolean {
  const { segment, windowEnd, current, changePct: change } = notification;
  const rule = rules.find(({ id }) => id === notification.rule);
  const endAt = Date.parse(windowEnd);
  if (!rule || endAt <= incident.startsAt || endAt - DAY_MS >= incident.endsAt) return false;
  if (rule.members || current === null) return false;
  const moves = movesOf(incident, rule, segment);
  return moves === (change !== null && change < 0 ? 'fall' : 'rise');
}

/** Metrics that the generator changes. Indirect effects, such as fewer sessions from fewer new users, are left out. */
const METRICS_MOVED: Record<Incident['kind'], string[]> = {
  'rage-surge': ['rage_gestures', 'rage_gestures_per_session', 'rage_gestures_per_user'],
  'new-users-drop': ['new_users'],
  'event-stops': ['event_count', 'event_users', 'event_sessions', 'events_per_user'],
};

/** Attributes that an incident is limited to. */
function placesOf(incident: Incident): Record<string, string> {
  switch (incident.kind) {
    case 'rage-surge': {
      const { platform, appVersion, screen } = incident;
      return { device_platform: platform, app_version: appVersion, session_screen_list: screen };
    }
    case 'new-users-drop':
      return {};
    case 'event-stops':
      return { event_name: incident.eventName, device_country: incident.country };
  }
}

/** How the incident moves the figure of a series; `undefined` if it does not. */
function movesOf(incident: Incident, rule: FigureRule, segment: string | null): 'rise' | 'fall' | undefined {
  const places = placesOf(incident);
  const filters = rule.filters.flatMap(({ attribute, operator, value }) =>
    operator === 'equal' || operator === 'in' || operator === 'has_any'
      ? [{ attribute, values: [value].flat() }]
      : [],
  );
  const group = onlyGroupOf(rule);
  const own = [
    ...filters,
    ...(group && segment !== null && segment !== OTHERS ? [{ attribute: group, values: [segment] }] : []),
  ];
  const isApart = own.some(({ attribute, values }) => {
    const place = places[attribute];
    return place !== undefined && !values.map(String).includes(place);
  });
  if (isApart || !METRICS_MOVED[incident.kind].some((metric) => metric === rule.metric)) return undefined;
  const way = incident.factor < 1 ? 'fall' : 'rise';
  const ratio = eventRatioOf(rule.ratio);
  if (!ratio || ratio.of === places.event_name) return way;
  if (ratio.to !== places.event_name) return undefined;
  return way === 'fall' ? 'rise' : 'fall';
}

function summary(results: ReturnType<typeof score>[]) {
  const incidents = results.reduce((sum, result) => sum + result.incidents, 0);
  const found = results.flatMap((result) => result.found);
  const windows = found.map((each) => each.windows).toSorted((a, b) => a - b);
  const months = (results.length * (DAYS - LEARNING_DAYS)) / 30;
  const falseAlerts = results.flatMap((result) => result.falseAlerts);
  const kinds = Map.groupBy(found, ({ kind }) => kind);
  return {
    seeds: results.length,
    incidents,
    foundShare: round(found.length / incidents),
    foundByKind: Object.fromEntries([...kinds].map(([kind, each]) => [kind, each.length])),
    missedByKind: Object.fromEntries(
      [
        ...Map.groupBy(
          results.flatMap((result) => result.missed),
          ({ kind }) => kind,
        ),
      ].map(([kind, each]) => [kind, each.length]),
    ),
    windowsAfterStart: {
      median: windows[windows.length >> 1],
      p90: windows[Math.floor(windows.length * 0.9)],
      max: windows.at(-1),
    },
    falsePerAppMonth: round(falseAlerts.length / months),
  };
}

function round(figure: number): number {
  return Math.round(figure * 1000) / 1000;
}

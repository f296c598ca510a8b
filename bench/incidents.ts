import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRules } from '../cli/options/read-rules.ts';
import { type Incident, incidentsBetween } from '../local/data/demo/incidents.ts';
import { demoDataFor, type SimulatedNotification, simulate } from '../local/simulate.ts';
import type { Rule } from '../shared/alerting/rules/rule.ts';
import { labelOf } from '../workbench/backtest/generated-labels.ts';
import { directionOf, touches } from '../workbench/backtest/incident-scope.ts';

const DAY = 86_400_000;
const FROM = Date.UTC(2026, 4, 4);
const DAYS = 56;
/** The first days teach the rules what is usual; incidents in them are not counted either way. */
const LEARNING_DAYS = 7;

/** Which rule is meant to find an incident, and in which segment. */
function finderOf(incident: Incident): { rule: string; segment: string | null } {
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
 * The demo rules over demo shops of other seeds (20, or the first option): the share of planted incidents found, how
 * many windows after their start, and announcements that no incident explains, per app and 30 days. An incident explains
 * an alert as in a backtest: it touches the metric, the filters, the segment and the direction.
 */
export async function run([seeds = '20']: string[]) {
  const ruleSet = await readRules('rules');
  const span = { from: FROM, to: FROM + DAYS * DAY };
  const state = await mkdtemp(join(tmpdir(), 'deltawatch-incidents-'));
  const results = [];
  for (let seed = 1; seed <= Number(seeds); seed++) {
    const dataDir = await demoDataFor({ ...span, seed }, state);
    const notifications = [];
    for await (const each of simulate({ ruleSet, ...span, dataDir })) notifications.push(each);
    await rm(dataDir, { recursive: true });
    const result = score(seed, notifications, ruleSet.rules);
    results.push(result);
    console.error(
      `seed ${String(seed).padStart(2)}: found ${result.found.length} of ${result.incidents}, ${result.strays.length} false` +
        result.strays
          .map(
            (each) =>
              `\n  ${each.transition} ${each.rule} ${each.segment ?? ''} ${each.windowEnd} ${each.baseline} to ${each.current}`,
          )
          .join('') +
        result.missed
          .map(
            (each) =>
              `\n  missed ${each.kind} ${JSON.stringify(finderOf(each))} from ${new Date(each.startsAt).toISOString()}`,
          )
          .join(''),
    );
  }
  await rm(state, { recursive: true });
  return summary(results);
}

function score(seed: number, notifications: SimulatedNotification[], rules: Rule[]) {
  const countedFrom = FROM + LEARNING_DAYS * DAY;
  const incidents = incidentsBetween(seed, FROM, FROM + DAYS * DAY);
  const counted = incidents.filter(
    ({ startsAt, endsAt }) => startsAt >= countedFrom && endsAt <= FROM + DAYS * DAY,
  );
  const fires = notifications.filter(({ transition }) => transition === 'fired');
  const found = counted.flatMap((incident) => {
    const fire = fires.find((each) => finds(each, incident, rules));
    return fire
      ? [{ kind: incident.kind, windows: Math.ceil((Date.parse(fire.windowEnd) - incident.startsAt) / DAY) }]
      : [];
  });
  const missed = counted.filter((incident) => !fires.some((each) => finds(each, incident, rules)));
  const strays = notifications.filter(
    (each) =>
      Date.parse(each.windowEnd) > countedFrom &&
      (each.transition === 'fired' || each.transition === 'failing' || each.transition === 'broken') &&
      !incidents.some((incident) => explains(incident, each, rules)),
  );
  return { incidents: counted.length, found, missed, strays };
}

/** Of the rule and segment that are meant. */
function finds(notification: SimulatedNotification, incident: Incident, rules: Rule[]): boolean {
  const finder = finderOf(incident);
  return (
    notification.rule === finder.rule &&
    notification.segment === finder.segment &&
    explains(incident, notification, rules)
  );
}

/** For a window that the incident overlaps. */
function explains(incident: Incident, notification: SimulatedNotification, rules: Rule[]): boolean {
  const { segment, windowEnd, current, changePct: change } = notification;
  const rule = rules.find(({ id }) => id === notification.rule);
  const endAt = Date.parse(windowEnd);
  if (!rule || endAt <= incident.startsAt || endAt - DAY >= incident.endsAt) return false;
  const direction = current === null ? null : directionOf(rule, { current, change });
  // The shop has fewer countries and versions than are folded.
  const series = { rule, segment, watched: new Set<string>() };
  return touches(labelOf(incident, rule.app).about, series, direction);
}

function summary(results: ReturnType<typeof score>[]) {
  const incidents = results.reduce((sum, result) => sum + result.incidents, 0);
  const found = results.flatMap((result) => result.found);
  const windows = found.map((each) => each.windows).toSorted((a, b) => a - b);
  const months = (results.length * (DAYS - LEARNING_DAYS)) / 30;
  const strays = results.flatMap((result) => result.strays);
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
    falsePerAppMonth: round(strays.length / months),
  };
}

function round(figure: number): number {
  return Math.round(figure * 1000) / 1000;
}

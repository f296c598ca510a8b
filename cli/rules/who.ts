import { Temporal } from 'temporal-polyfill';
import { type Addressee, appAddressee, watchedApps } from '../../shared/alerts/app-alert.ts';
import { spanText } from '../../shared/messages/figure-text.ts';
import { type Notified, notifiedAt } from '../../shared/notifications/notified.ts';
import type { Routes } from '../../shared/notifications/routes.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { type Clock, type Millis, systemClock } from '../../shared/runtime/clock.ts';
import { holidayOn } from '../../shared/time/holiday-calendar.ts';
import { MINUTE_MS } from '../../shared/units/durations.ts';
import { inFolder, noSuchRule } from '../../workbench/find-rule.ts';
import { readRules } from '../options/read-rules.ts';
import { instant } from '../terminal/arguments.ts';
import { Command } from '../terminal/command.ts';
import { tableText } from '../terminal/table.ts';
import { inZone, minuteOf } from '../terminal/times.ts';
import { wrapped } from '../terminal/wrapping.ts';

interface Options {
  rules: string;
  at?: Millis;
}

/** A rule, or the alert of an app that sends no data, and the zone in which its times are shown. */
interface Subject {
  about: Addressee;
  zone: string;
}

/** `deltawatch who`: the channels that the routes in a folder give to each rule. */
export function whoCommand(clock: Clock = systemClock): Command {
  return new Command('who')
    .description('Show who is notified of each rule')
    .argument('[rule...]', 'Rule ids, or app:ID for an app that sends no data; default: all')
    .option('--rules <dir>', 'Folder of the rule files', 'rules')
    .option('--at <time>', 'Time; default: now', instant)
    .example('who', 'Who is notified of an alert that is found now?')
    .example('who checkout-errors --at 2026-12-25T22:00Z', 'On a holiday')
    .action(async (ids: string[], { rules: dir, at = clock.now() }: Options) => {
      const { rules, routes } = await readRules(dir);
      const subjects = subjectsOf(ids, rules, dir);
      console.log(momentText(subjects, routes, at).join('\n'));
    });
}

function subjectsOf(ids: string[], rules: Rule[], dir: string): Subject[] {
  const all = [
    ...rules.map((rule): Subject => ({ about: rule, zone: rule.zone })),
    ...watchedApps(rules).map((app): Subject => ({ about: appAddressee(app), zone: app.zones[0] ?? 'UTC' })),
  ];
  if (ids.length === 0) return all;
  const known = new Map(all.map((each) => [each.about.id, each]));
  return ids.map((id) => {
    const found = known.get(id);
    if (!found) throw noSuchRule(id, [...known.keys()], inFolder(dir));
    return found;
  });
}

const QUIET = 'no one (quiet)';

function momentText(subjects: Subject[], routes: Routes, at: Millis): string[] {
  const zones = new Set(subjects.map(({ zone }) => zone));
  const [zone = 'UTC'] = zones.size === 1 ? zones : [];
  const rows = subjects.map(({ about }) => {
    const notified = notifiedAt(about, routes, at);
    const used = [...new Set([...notified.receivers, ...notified.muted].map(({ route }) => route))];
    return [about.id, about.quiet ? QUIET : `${notifiedText(notified)} (route ${used.join(', ')})`];
  });
  const columns = { rule: { width: 26 }, notified: { width: 52 } };
  return [
    `Alerts found ${minuteOf(inZone(at, zone))} (${zone})`,
    ...holidaysAt(routes, at),
    '',
    tableText(columns, rows),
  ];
}

/** "Holiday: Christmas Day (calendar holidays)", for each calendar of the routes that has one then. */
function holidaysAt({ calendars }: Routes, at: Millis): string[] {
  return Object.entries(calendars).flatMap(([name, { holidays, zone }]) => {
    const date = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDate();
    const holiday = holidays ? holidayOn(date, holidays) : null;
    return holiday === null ? [] : wrapped(`Holiday: ${holiday} (calendar ${name})`, 0);
  });
}

/** "on-call, then growth after 30 minutes", or that no one is notified at once. */
function notifiedText({ receivers, muted, escalations }: Notified): string {
  if (receivers.length === 0) return `no one at once (${namesOf(muted)} muted)`;
  const steps = Map.groupBy(escalations, ({ afterMinutes }) => afterMinutes);
  const later = [...steps].map(
    ([minutes, each]) => `, then ${namesOf(each)} after ${spanText(minutes * MINUTE_MS)}`,
  );
  return `${namesOf(receivers)}${later.join('')}`;
}

function namesOf(receivers: { channel: string }[]): string {
  return receivers.map(({ channel }) => channel).join(', ');
}

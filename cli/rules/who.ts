import { Command } from 'commander';
import { Temporal } from 'temporal-polyfill';
import { type Addressee, appAddressee } from '../../shared/alerts/app-alert.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import { notifiedText, weekLines, weekOf } from '../../shared/messages/week-text.ts';
import { notifiedAt, notifiedWithin, zoneOfRoutes } from '../../shared/notifications/notified.ts';
import type { Routes } from '../../shared/notifications/routes.ts';
import { type Clock, type Millis, systemClock } from '../../shared/runtime/clock.ts';
import { holidayOn } from '../../shared/time/holiday-calendar.ts';
import { inFolder, noSuchRule } from '../../workbench/find-rule.ts';
import { readRules } from '../options/read-rules.ts';
import { examples, instant } from '../terminal/arguments.ts';
import { tableText } from '../terminal/table.ts';
import { wrapped } from '../terminal/wrapping.ts';
import { inZone, minuteOf } from '../terminal/zoned-times.ts';

interface Options {
  rules: string;
  at?: Millis;
  week?: true;
  json?: true;
}

/** A rule, or the alert of an app that sends no data, and the zone in which its times are shown. */
interface Subject {
  about: Addressee;
  zone: string;
}

/** `deltawatch who`: the channels that the routes in a folder give to each rule, now or hour by hour. */
export function whoCommand(clock: Clock = systemClock): Command {
  return new Command('who')
    .description('Show who is notified of each rule, now or over a week')
    .argument('[rule...]', 'Rule ids, or app:ID for an app that sends no data; default: all')
    .option('--rules <dir>', 'Folder of the rule files', 'rules')
    .option('--at <time>', 'Time, or a time of the week; default: now', instant)
    .option('--week', 'Show a week, from Monday to Sunday')
    .option('--json', 'Print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['who', 'Who is notified of an alert that is found now?'],
        ['who checkout-errors --at 2026-12-25T22:00Z', 'On a holiday'],
        ['who --week', 'At which times is nobody notified?'],
      ),
    )
    .action(async (ids: string[], { rules: dir, at = clock.now(), week, json }: Options) => {
      const { rules, routes } = await readRules(dir);
      const subjects = subjectsOf(ids, { rules, routes }, dir);
      const lines = week ? weekText : momentText;
      if (json) console.log(JSON.stringify(documentOf(subjects, routes, { at, week }), null, 2));
      else console.log(lines(subjects, routes, at).join('\n'));
    });
}

function subjectsOf(ids: string[], { rules, routes }: Pick<RuleSet, 'rules' | 'routes'>, dir: string) {
  const apps = [...Map.groupBy(rules, ({ app }) => app)];
  const all = [
    ...rules.map((rule) => ({ about: rule as Addressee, own: rule.zone })),
    ...apps.map(([app, own]) => ({ about: appAddressee(app, own), own: own[0]?.zone ?? 'UTC' })),
  ].map(({ about, own }): Subject => ({ about, zone: zoneOfRoutes(about, routes, own) }));
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
  const columns = [
    { title: 'rule', width: 26 },
    { title: 'notified', width: 52 },
  ];
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

/** Rules with the same week are listed together. */
function weekText(subjects: Subject[], routes: Routes, at: Millis): string[] {
  const weeks = subjects.map(({ about, zone }) => {
    const week = weekOf(at, zone);
    const spans = notifiedWithin(about, routes, week);
    const texts = spans.map((span) => ({ ...span, text: notifiedText(span) }));
    const lines = about.quiet ? [{ when: 'always', text: QUIET }] : weekLines(texts, zone);
    const rows = lines.map(({ when, text }) => [`  ${when}`, text]);
    const title = `week of ${minuteOf(inZone(week.startAt, zone)).slice(0, 10)} (${zone})`;
    return { id: about.id, title, table: tableText(WEEK_COLUMNS, rows).replace(/^\s*\n/, '') };
  });
  const alike = [...Map.groupBy(weeks, ({ title, table }) => `${title}\n${table}`).values()];
  return alike.flatMap((group, i) => {
    const [{ title, table } = { title: '', table: '' }] = group;
    const names = group.map(({ id }) => id).join(', ');
    return [...(i === 0 ? [] : ['']), ...wrapped(`${names}: ${title}`), table];
  });
}

const WEEK_COLUMNS = [
  { title: '', width: 34 },
  { title: '', width: 44 },
];

function documentOf(
  subjects: Subject[],
  routes: Routes,
  { at, week }: { at: Millis; week: true | undefined },
) {
  const iso = (time: number) => new Date(time).toISOString();
  const notifiedIn = ({ about, zone }: Subject) =>
    notifiedWithin(about, routes, weekOf(at, zone)).map(({ startAt, endAt, ...notified }) => ({
      ...{ from: iso(startAt), to: iso(endAt) },
      ...notified,
    }));
  const rules = subjects.map((subject) => ({
    ...{ rule: subject.about.id, quiet: subject.about.quiet ?? false },
    ...(week ? { week: notifiedIn(subject) } : notifiedAt(subject.about, routes, at)),
  }));
  return { at: iso(at), rules };
}

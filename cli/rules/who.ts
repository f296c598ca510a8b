import { Command } from 'commander';
import { Temporal } from 'temporal-polyfill';
import { type Addressee, appAddressee } from '../../shared/alerts/app-alert.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import { notifiedText, type WeekLine, weekLines, weekOf } from '../../shared/messages/week-text.ts';
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
    .action(async (ids: string[], options: Options) => {
      const ruleSet = await readRules(options.rules);
      const subjects = subjectsOf(ids, ruleSet, options.rules);
      const at = options.at ?? clock.now();
      if (options.json)
        console.log(JSON.stringify(documentOf(subjects, ruleSet.routes, { ...options, at }), null, 2));
      else
        console.log(
          (options.week
            ? weekText(subjects, ruleSet.routes, at)
            : momentText(subjects, ruleSet.routes, at)
          ).join('\n'),
        );
    });
}

function subjectsOf(ids: string[], { rules, routes }: RuleSet, dir: string): Subject[] {
  const apps = [...Map.groupBy(rules, ({ app }) => app)];
  const all = [
    ...rules.map((rule) => ({ about: rule as Addressee, zone: rule.zone })),
    ...apps.map(([app, ofApp]) => ({
      about: appAddressee(app, ofApp),
      zone: ofApp[0]?.zone ?? 'UTC',
    })),
  ].map(({ about, zone }) => ({ about, zone: zoneOfRoutes(about, routes, zone) }));
  const named = ids.map((id) => {
    const found = all.find(({ about }) => about.id === id);
    if (found) return found;
    throw noSuchRule(
      id,
      all.map(({ about }) => about.id),
      inFolder(dir),
    );
  });
  return ids.length === 0 ? all : named;
}

const QUIET = 'no one (quiet)';

function momentText(subjects: Subject[], routes: Routes, at: Millis): string[] {
  const zones = new Set(subjects.map(({ zone }) => zone));
  const [zone = 'UTC'] = zones.size === 1 ? zones : ['UTC'];
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
    const { startAt } = weekOf(at, zone);
    const lines = about.quiet ? [{ when: 'always', text: QUIET }] : linesOf({ about, zone }, routes, at);
    return { id: about.id, week: `week of ${minuteOf(inZone(startAt, zone)).slice(0, 10)} (${zone})`, lines };
  });
  const alike = Map.groupBy(weeks, ({ week, lines }) => JSON.stringify([week, lines]));
  return [...alike.values()].flatMap((group, i) => {
    const [first] = group;
    if (!first) return [];
    const rows = first.lines.map(({ when, text }) => [`  ${when}`, text]);
    const columns = [
      { title: '', width: 34 },
      { title: '', width: 44 },
    ];
    const body = tableText(columns, rows).replace(/^\s*\n/, '');
    return [
      ...(i === 0 ? [] : ['']),
      ...wrapped(`${group.map(({ id }) => id).join(', ')}: ${first.week}`),
      body,
    ];
  });
}

function linesOf({ about, zone }: Subject, routes: Routes, at: Millis): WeekLine[] {
  const spans = notifiedWithin(about, routes, weekOf(at, zone));
  return weekLines(
    spans.map((span) => ({ ...span, text: notifiedText(span) })),
    zone,
  );
}

function documentOf(
  subjects: Subject[],
  routes: Routes,
  { at, week }: { at: Millis; week?: true | undefined },
) {
  const iso = (time: number) => new Date(time).toISOString();
  return {
    at: iso(at),
    rules: subjects.map(({ about, zone }) => ({
      rule: about.id,
      quiet: about.quiet ?? false,
      ...(week
        ? {
            week: notifiedWithin(about, routes, weekOf(at, zone)).map(({ startAt, endAt, ...notified }) => ({
              from: iso(startAt),
              to: iso(endAt),
              ...notified,
            })),
          }
        : notifiedAt(about, routes, at)),
    })),
  };
}

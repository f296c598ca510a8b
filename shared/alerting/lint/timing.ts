import { plannedRuns } from '../planning/planned-runs.ts';
import { metricOf } from '../rules/metrics.ts';
import type { FigureRule, Rule } from '../rules/rule.ts';
import { type Cadence, cadenceName, longestBreakHours, nextRun } from '../time/cadence.ts';
import { repeatedRun } from '../time/clock-change.ts';
import { type Grain, lastClosedWindow } from '../time/window.ts';
import type { Remark } from './findings.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const WINDOW_MINUTES: Record<Grain, number> = { hour: 60, day: 1440, week: 10_080, month: 40_320 };

/** Enough that every cadence, of which 5 minutes is the shortest, comes to a new hour twice. */
const RUNS_LOOKED_AT = 25;
/** More looks at one window than these are spent on nothing: each hour sees a day as soon as it has settled. */
const MOST_LOOKS = 24;
/** Windows that wait for one look; of days, the weekend's and one more. */
const MOST_WAITING: Record<Grain, number> = { hour: 12, day: 4, week: 2, month: 1 };
/** From so many breaches on, most of what a rule is for is over before it is told. */
const MOST_HITS: Record<Grain, number> = { hour: 12, day: 7, week: 3, month: 2 };

/** When a rule of any kind is looked at, against when its windows close. */
export function timingRemarks(rule: Rule, now: number): Remark[] {
  return [
    ...clockRemarks(rule),
    ...settleRemarks(rule, now),
    ...frequencyRemarks(rule, now),
    ...patienceRemarks(rule),
  ];
}

/** What a week's shape does to a comparison with the window just before. */
export function shapeRemarks(rule: FigureRule): Remark[] {
  const { window, baseline, compare } = rule;
  const hasShape = metricOf(rule).kind === 'count' && (window === 'hour' || window === 'day');
  if (!hasShape || baseline.to !== 'previous_period') return [];
  const like =
    window === 'day'
      ? 'Mondays look like a rise and Saturdays like a fall'
      : 'each morning looks like a rise';
  return [
    {
      code: 'weekly-shape',
      path: [compare ? 'compare' : 'id'],
      message: `held against the ${window} before, ${like}; same_weekday compares like with like`,
    },
  ];
}

function clockRemarks({ cadence }: Rule): Remark[] {
  const twice = repeatedRun(cadence);
  if (!twice) return [];
  const message = `on ${twice.date} the clocks of ${cadence.zone} show ${twice.time} twice; it runs at the first`;
  return [{ code: 'clock-repeated', path: ['every'], message }];
}

function settleRemarks(rule: Rule, now: number): Remark[] {
  const { window, settle, restate_for } = rule;
  if (settle >= WINDOW_MINUTES[window])
    return [
      {
        code: 'window-shorter-than-settle',
        path: ['settle'],
        message: `data settle for ${durationText(settle)}, which is no less than the ${window} that is judged, so the next one is over before anybody hears; take longer windows, or settle for less and let "restate_for" mend what comes late`,
      },
    ];
  const late = latenessOf(rule, now);
  return [
    ...(late ? [lateRemark(rule, late)] : []),
    ...(restate_for > 0 && restate_for <= settle
      ? [
          {
            code: 'restate-idle' as const,
            path: ['restate_for'],
            message: `a window is read again ${durationText(restate_for)} after its end, and judged for the first time after ${durationText(settle)}, so nothing that comes late is seen; write more than "settle"`,
          },
        ]
      : []),
  ];
}

interface Late {
  /** From the end of a window to the first run after it, and to the one that judges it. In minutes. */
  first: number;
  task: number;
}

// Thousands of rules share a handful of timetables.
const lateKnown = new Map<string, Late | undefined>();

/** How late windows are judged where every run that judges one leaves another that has closed and not settled. */
function latenessOf(rule: Rule, now: number): Late | undefined {
  const { cadence, window, zone, settle } = rule;
  const key = [cadenceName(cadence), window, zone, settle, now].join(' ');
  if (!lateKnown.has(key)) lateKnown.set(key, findLateness(rule, now));
  return lateKnown.get(key);
}

function findLateness(rule: Rule, now: number): Late | undefined {
  const { cadence } = rule;
  const calendar = { grain: rule.window, zone: rule.zone };
  const runs = plannedRuns(rule, now, RUNS_LOOKED_AT).flatMap(({ at, windows }) => {
    const last = windows.at(-1);
    return last ? [{ at, evaluated: last.endAt, closed: lastClosedWindow(at, calendar).endAt }] : [];
  });
  const [run] = runs;
  const following = nextRun(cadence, now);
  const apart = (nextRun(cadence, following) - following) / MINUTE_MS;
  // It looks at each window more than once, and the first look at what has settled is as soon as can be.
  if (apart < WINDOW_MINUTES[rule.window]) return undefined;
  if (!run || runs.some(({ evaluated, closed }) => evaluated === closed)) return undefined;
  return { first: (run.at - run.closed) / MINUTE_MS, task: (run.at - run.evaluated) / MINUTE_MS };
}

function lateRemark({ window, settle }: Rule, { first, task }: Late): Remark {
  const from = durationText(first);
  return {
    code: 'judged-late',
    path: ['every'],
    message: `the first run after ${aWindow(window)} comes ${from} after its end, and the ${window} settles for ${durationText(settle)}: it is judged by a later run, ${durationText(task)} after its end; run later or settle for less`,
  };
}

function frequencyRemarks({ cadence, window, every }: Rule, now: number): Remark[] {
  const apart = longestBreakHours(cadence) ?? 0;
  const waiting = Math.floor((apart * 60) / WINDOW_MINUTES[window]);
  if (waiting > MOST_WAITING[window])
    return [
      {
        code: 'every-too-seldom',
        path: ['every'],
        message: `up to ${waiting} ${window}s wait for one look, and the first of them is told ${durationText(apart * 60)} late; look more often, or at longer windows`,
      },
    ];
  const looks = Math.round((runsADay(cadence, now) * WINDOW_MINUTES[window]) / 1440);
  if (looks <= MOST_LOOKS) return [];
  return [
    {
      code: 'every-too-often',
      path: ['every'],
      message: `"${every}" looks ${looks} times at each ${window}, which is judged once; "hour at :20" or seldomer sees it as soon`,
    },
  ];
}

const runsKnown = new Map<string, number>();

function runsADay(cadence: Cadence, now: number): number {
  if (!cadence.minutes && !cadence.hours) return 1440;
  const key = cadenceName(cadence);
  const known = runsKnown.get(key);
  if (known !== undefined) return known;
  let runs = 0;
  for (let at = nextRun(cadence, now); at <= now + DAY_MS; at = nextRun(cadence, at)) runs++;
  runsKnown.set(key, runs);
  return runs;
}

function patienceRemarks({ fire_after, window }: Rule): Remark[] {
  const { hits } = fire_after;
  if (hits <= MOST_HITS[window]) return [];
  return [
    {
      code: 'fire-after-long',
      path: ['fire_after'],
      message: `fires after ${hits} ${window}s beyond the bounds at the earliest; ask for fewer, or for longer windows`,
    },
  ];
}

/** "an hour", "a day". */
export function aWindow(window: Grain): string {
  return window === 'hour' ? 'an hour' : `a ${window}`;
}

/** 80 as "80 minutes", 120 as "2 hours", 1445 as "24 hours and 5 minutes". */
export function durationText(minutes: number): string {
  const counted = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'}`;
  const whole = Math.round(minutes);
  if (whole > 0 && whole % 1440 === 0) return counted(whole / 1440, 'day');
  if (whole > 0 && whole % 60 === 0) return counted(whole / 60, 'hour');
  if (whole < 120) return counted(whole, 'minute');
  return `${counted(Math.floor(whole / 60), 'hour')} and ${counted(whole % 60, 'minute')}`;
}

import { Temporal } from 'temporal-polyfill';
import type { Notified } from '../notifications/notified.ts';
import type { Window } from '../time/window.ts';

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/** A span of the week with a text, such as who is notified. */
export interface TextSpan extends Window {
  text: string;
}

/** Times of the week, such as "mon-fri 09:00-18:00", and their text. */
export interface WeekLine {
  when: string;
  text: string;
}

/** The week of `zone` that contains `at`, from Monday to Sunday. */
export function weekOf(at: number, zone: string): Window {
  const today = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).startOfDay();
  const monday = today.subtract({ days: today.dayOfWeek - 1 });
  return { startAt: monday.epochMilliseconds, endAt: monday.add({ days: 7 }).epochMilliseconds };
}

/** "on-call, then growth after 30 minutes", or that no one is notified at once. */
export function notifiedText({ receivers, muted, escalations }: Notified): string {
  if (receivers.length === 0) return `no one at once (${namesOf(muted)} muted)`;
  const steps = Map.groupBy(escalations, ({ afterMinutes }) => afterMinutes);
  const later = [...steps].map(([minutes, each]) => `, then ${namesOf(each)} after ${minutesText(minutes)}`);
  return `${namesOf(receivers)}${later.join('')}`;
}

/**
 * The spans of one week as lines, equal days together. The text of most of the week comes last as "otherwise"; the only
 * text as "always".
 */
export function weekLines(spans: TextSpan[], zone: string): WeekLine[] {
  const texts = [...Map.groupBy(spans, ({ text }) => text)].map(([text, own]) => ({
    text,
    own,
    length: own.reduce((sum, { startAt, endAt }) => sum + endAt - startAt, 0),
  }));
  const most = texts.toSorted((a, b) => b.length - a.length)[0];
  if (!most) return [];
  if (texts.length === 1) return [{ when: 'always', text: most.text }];
  return [
    ...texts
      .filter((each) => each !== most)
      .flatMap(({ text, own }) => timesOfWeek(own, zone).map((when) => ({ when, text }))),
    { when: 'otherwise', text: most.text },
  ];
}

/** Times of one week: "mon-thu 20:00-24:00", "sat-sun". */
export function timesOfWeek(spans: Window[], zone: string): string[] {
  const pieces = spans.flatMap((span) => byDay(span, zone));
  const ofDays = Map.groupBy(pieces, ({ day }) => day);
  const joined = [...ofDays].map(([day, own]) => ({ day, times: joinedTimes(own) }));
  return [...Map.groupBy(joined, ({ times }) => times)].map(([times, own]) =>
    `${daysText(own.map(({ day }) => day).toSorted((a, b) => a - b))} ${times}`.trim(),
  );
}

interface Piece {
  /** 0 for Monday. */
  day: number;
  from: string;
  to: string;
}

function byDay({ startAt, endAt }: Window, zone: string): Piece[] {
  const pieces: Piece[] = [];
  for (let at = startAt; at < endAt; ) {
    const from = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
    const midnight = from.startOfDay().add({ days: 1 }).epochMilliseconds;
    const to = Math.min(endAt, midnight);
    pieces.push({
      day: from.dayOfWeek - 1,
      from: clock(from),
      to:
        to === midnight
          ? '24:00'
          : clock(Temporal.Instant.fromEpochMilliseconds(to).toZonedDateTimeISO(zone)),
    });
    at = to;
  }
  return pieces;
}

/** "09:00-12:00, 13:00-18:00"; empty for the whole day. */
function joinedTimes(pieces: Piece[]): string {
  const whole: Piece[] = [];
  for (const piece of pieces) {
    const before = whole.at(-1);
    if (before?.to === piece.from) before.to = piece.to;
    else whole.push({ ...piece });
  }
  const times = whole.map(({ from, to }) => `${from}-${to}`).join(', ');
  return times === '00:00-24:00' ? '' : times;
}

/** "mon-wed, fri". */
function daysText(days: number[]): string {
  const runs: number[][] = [];
  for (const day of days) {
    const last = runs.at(-1);
    if (last?.at(-1) === day - 1) last.push(day);
    else runs.push([day]);
  }
  return runs
    .map((run) => [...new Set([run[0], run.at(-1)])].map((day) => DAYS[day ?? 0]).join('-'))
    .join(', ');
}

function clock(time: Temporal.ZonedDateTime): string {
  return time.toPlainTime().toString({ smallestUnit: 'minute' });
}

function namesOf(receivers: { channel: string }[]): string {
  return receivers.map(({ channel }) => channel).join(', ');
}

/** "30 minutes", "2 hours", "1 day". */
function minutesText(minutes: number): string {
  const [count, unit] =
    minutes % 1440 === 0
      ? [minutes / 1440, 'day']
      : minutes % 60 === 0
        ? [minutes / 60, 'hour']
        : [minutes, 'minute'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

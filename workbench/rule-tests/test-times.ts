import type { RuleTest } from '../../shared/rule-tests/rule-test-file.ts';
import type { ZoneClock } from '../../shared/time/zone-clock.ts';
import { MINUTE_MS } from '../../shared/units/durations.ts';
import type { SeriesFault } from './series-fault.ts';

const PARTS = /^(?<day>\S{10})(?:[T ](?<time>\d\d:\d\d)(?<offset>[+-]\d\d:\d\d)?)?$/;

/**
 * The moment of a local time in the file. Of a repeated time it is the first, unless an offset selects the
 * second.
 */
export function momentOf(text: string, clock: ZoneClock): number {
  const { day, time = '00:00', offset } = PARTS.exec(text)?.groups ?? {};
  if (offset !== undefined) return Date.parse(`${day}T${time}:00${offset}`);
  return clock.instantOf(Date.parse(`${day}T${time}:00Z`));
}

/** Times of a test that do not exist in its zone. */
export function timesNeverShown(test: RuleTest, clock: ZoneClock): SeriesFault[] {
  const { starts, series, silences, alerts = [], messages = [] } = test;
  const written: [SeriesFault['path'], string | undefined][] = [
    [['starts'], starts],
    ...series.flatMap(({ revisions }, i) =>
      revisions.flatMap(({ window, seen }, j): typeof written => [
        [['series', i, 'revisions', j, 'window'], window],
        [['series', i, 'revisions', j, 'seen'], seen],
      ]),
    ),
    ...silences.flatMap(({ from, until }, i): typeof written => [
      [['silences', i, 'from'], from],
      [['silences', i, 'until'], until],
    ]),
    ...alerts.flatMap(({ window, at }, i): typeof written => [
      [['alerts', i, 'window'], window],
      [['alerts', i, 'at'], at],
    ]),
    ...messages.map(({ at }, i): (typeof written)[number] => [['messages', i, 'at'], at]),
  ];
  return written.flatMap(([path, text]) => {
    const message = text === undefined ? undefined : whyNeverShown(text, clock);
    return message === undefined ? [] : [{ path, message }];
  });
}

/** Why a time does not exist. A date alone always does. */
function whyNeverShown(text: string, clock: ZoneClock): string | undefined {
  const { day, time, offset } = PARTS.exec(text)?.groups ?? {};
  if (time === undefined || shown(momentOf(text, clock), clock) === `${day} ${time}`) return undefined;
  return offset === undefined
    ? `this time does not exist in ${clock.zone}: the clocks skip it`
    : `this time does not exist in ${clock.zone} at ${offset}`;
}

/** "2026-03-09 14:00" in the zone. The second of a repeated time has its offset, "+01:00". */
export function localText(at: number, clock: ZoneClock): string {
  const local = clock.localOf(at);
  return shown(at, clock) + (clock.instantOf(local) < at ? offsetText(local - at) : '');
}

function shown(at: number, clock: ZoneClock): string {
  return new Date(clock.localOf(at)).toISOString().slice(0, 16).replace('T', ' ');
}

function offsetText(offset: number): string {
  return (offset < 0 ? '-' : '+') + new Date(Math.abs(offset)).toISOString().slice(11, 16);
}

/** Whether a time equals the written one, to the minute; a date matches its whole day. */
export function isAt(written: string, at: number | undefined, clock: ZoneClock): boolean {
  if (at === undefined) return false;
  if (PARTS.exec(written)?.groups?.time === undefined) return shown(at, clock).startsWith(written);
  return Math.floor(at / MINUTE_MS) * MINUTE_MS === momentOf(written, clock);
}

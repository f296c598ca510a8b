import { printable } from '../../shared/runtime/redaction.ts';
import type { Match } from '../../shared/silences/matching.ts';
import type { Silence } from '../../shared/silences/silence.ts';
import { iso } from '../../shared/time/iso.ts';
import { minuteText } from '../terminal/minute-text.ts';
import { tableText } from '../terminal/table.ts';

/** A silence in `--json` output. Times are ISO 8601 in UTC. */
export type PlainSilence = ReturnType<typeof plainSilence>;

export function plainSilence<T extends Silence>({ fromAt, untilAt, at, ...silence }: T) {
  return { ...silence, from: iso(fromAt), until: iso(untilAt), at: iso(at) };
}

/** Length of a short id. */
const SHORT = 8;

/** The silences as a table of 80 columns. */
export function silenceTable(silences: Silence[]): string {
  return tableText(
    [
      { title: 'ID' },
      { title: 'MATCH', width: 25 },
      { title: 'UNTIL (UTC)' },
      { title: 'BY', width: 9 },
      { title: 'REASON', width: 14 },
    ],
    silences.map(({ id, match, untilAt, by, reason }) => [
      shortId(id),
      aboutText(match),
      minuteText(untilAt).slice(0, 16),
      printable(by),
      printable(reason),
    ]),
  );
}

export function shortId(id: string): string {
  return id.slice(0, SHORT);
}

/** "app=demo segment=DE": as `--match` takes them. */
export function aboutText(match: Match): string {
  const each = Object.entries(match).flatMap(([key, pattern]) =>
    pattern === undefined ? [] : [`${key}=${patternText(pattern)}`],
  );
  return printable(each.join(' '));
}

function patternText(pattern: NonNullable<Match[keyof Match]>): string {
  if (typeof pattern === 'string') return pattern;
  return 'is' in pattern ? pattern.is : pattern.join(' or ');
}

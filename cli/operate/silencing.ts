import { randomUUID } from 'node:crypto';
import type { AlertStore } from '../../shared/alerts/alert-store.ts';
import { appAlertKey } from '../../shared/alerts/app-alert.ts';
import type { Author } from '../../shared/alerts/author.ts';
import { isOpenOrFlapping, loadStatus, watchedIn } from '../../shared/responding/alert-status.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { ConfigError, InvalidRequestError } from '../../shared/runtime/errors.ts';
import { printable } from '../../shared/runtime/redaction.ts';
import { MATCH_KEYS, type Match, type Matched, matchedOf, matches } from '../../shared/silences/matching.ts';
import {
  addSilence,
  endSilence,
  LONGEST_SILENCE_DAYS,
  type Silence,
  silenceFormSchema,
} from '../../shared/silences/silence.ts';
import type { Stores } from '../../shared/store/stores.ts';
import { didYouMean } from '../../shared/text/nearest-words.ts';
import { iso } from '../../shared/time/iso.ts';
import { DAY_MS, HOUR_MS } from '../../shared/units/durations.ts';
import { minuteText } from '../terminal/minute-text.ts';
import { tableText } from '../terminal/table.ts';

/** A silence as users request it; `*` in a pattern matches any text. */
export interface AskedSilence {
  match: Partial<Record<keyof Match, string>>;
  untilAt: number;
}

/** A silence. `holds`: the number of open alerts that it matches; `note`: why it may never match, else `null`. */
type AddedSilence = Silence & { holds: number; note: string | null };

/**
 * Adds a silence, with the same code as the page. Throws `InvalidRequestError` if it matches everything or no deployed
 * rule, or if it is too long.
 */
export async function silence(
  { match, untilAt }: AskedSilence,
  who: Author,
  stores: Stores,
  now: number,
): Promise<AddedSilence> {
  if (untilAt - now > LONGEST_SILENCE_DAYS * DAY_MS)
    throw new InvalidRequestError(
      `a silence lasts at most ${LONGEST_SILENCE_DAYS} days; remove a rule that must never notify`,
    );
  const form = silenceFormSchema.safeParse({ ...match, hours: (untilAt - now) / HOUR_MS });
  if (!form.success)
    throw new InvalidRequestError('narrow the silence with --match: it cannot match everything');
  const rules = (await stores.rules.loadCurrent())?.rules ?? [];
  const fault = silenceFault(form.data.match, rules);
  if (fault !== undefined) throw new InvalidRequestError(fault);
  const asked = { id: randomUUID(), match: form.data.match, untilAt };
  const added = await addSilence(asked, who, now, stores.silences);
  const note = (await segmentNote(added.match, rules, stores.alerts)) ?? null;
  const status = await loadStatus(stores, now);
  const isHeld = (each: Parameters<typeof matchedOf>[0]) => matches(added.match, matchedOf(each));
  const holds = watchedIn(status).filter((each) => isOpenOrFlapping(each) && isHeld(each)).length;
  return { ...added, holds, note };
}

/** Silences that have not ended, soonest end first; `all` includes ended ones that are still stored. */
export async function listSilences({ silences }: Stores, all: boolean, now: number): Promise<Silence[]> {
  const stored = await silences.loadAll();
  return stored.filter(({ untilAt }) => all || untilAt > now).toSorted((a, b) => a.untilAt - b.untilAt);
}

/** Ends the silence whose id starts with `start`. Throws `ConfigError` if none or several match. */
export async function expireSilence(start: string, stores: Stores, now: number): Promise<Silence> {
  const active = await listSilences(stores, false, now);
  const [found, ...others] = active.filter(({ id }) => id.startsWith(start));
  if (others.length > 0)
    throw new ConfigError(`${others.length + 1} silences start with "${start}": use more of the id`);
  const ended = found && (await endSilence(found.id, now, stores.silences));
  if (!ended)
    throw new ConfigError(
      `no active silence starts with "${start}"; list them with: deltawatch silence list`,
    );
  return ended;
}

/** Maximum number of known values in an error without a similar value. */
const NAMED = 8;

/** Why no alert of any segment can match; `undefined` if one can, or if there are no rules. */
function silenceFault({ segment: _, ...match }: Match, rules: Rule[]): string | undefined {
  const subjects = subjectsOf(rules);
  if (subjects.length === 0 || subjects.some((each) => matches(match, each))) return undefined;
  for (const key of MATCH_KEYS) {
    const pattern = key === 'segment' ? undefined : match[key];
    if (typeof pattern !== 'string' || subjects.some((each) => matches({ [key]: pattern }, each))) continue;
    const known = [...new Set(subjects.flatMap((each) => each[key] ?? []))];
    const named = known.slice(0, NAMED).join(', ');
    const more = known.length > NAMED ? ` and ${known.length - NAMED} more` : '';
    return `no deployed rule has ${key}=${pattern}${didYouMean(pattern, known) || `; known: ${named}${more}`}`;
  }
  return 'no deployed rule matches all of these patterns';
}

/** The alerts of all rules, without segments, and of their apps, for missing data. */
function subjectsOf(rules: Rule[]): Matched[] {
  const apps = [...new Set(rules.map(({ app }) => app))];
  return [
    ...rules.map((rule) => matchedOf({ alert: { ruleId: rule.id, segment: null }, rule })),
    ...apps.map((app) => matchedOf({ alert: appAlertKey(app), rule: undefined })),
  ];
}

/** A note if no segment that was evaluated so far matches; `undefined` if one does. */
async function segmentNote(
  match: Match,
  rules: Rule[],
  alerts: Pick<AlertStore, 'loadOfRule'>,
): Promise<string | undefined> {
  const { segment, ...others } = match;
  if (typeof segment !== 'string') return undefined;
  const known = new Set<string>();
  for (const rule of rules) {
    if (!matches(others, matchedOf({ alert: { ruleId: rule.id, segment: null }, rule }))) continue;
    for (const alert of await alerts.loadOfRule(rule.id)) {
      if (alert.segment === null) continue;
      if (matches(match, matchedOf({ alert, rule }))) return undefined;
      known.add(alert.segment);
    }
  }
  return `no segment so far matches segment=${segment}${didYouMean(segment, [...known])}`;
}

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

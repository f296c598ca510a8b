import type { Author } from '../shared/alerts/author.ts';
import { matchedOf, matches, type Silence } from '../shared/notifications/silences.ts';
import {
  addSilence,
  endSilence,
  type SilencingDeps,
  silenceFormSchema,
} from '../shared/responding/add-silence.ts';
import { isOpenOrFlapping, loadStatus, watchedIn } from '../shared/responding/alert-status.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import { ConfigError, InvalidRequestError } from '../shared/runtime/errors.ts';
import type { Stores } from '../shared/store/stores.ts';
import { HOUR_MS } from '../shared/units/durations.ts';
import { segmentNote, silenceFault } from './silence-faults.ts';

const LONGEST_DAYS = 30;

/** The keys of a silence's matcher. */
export const MATCH_KEYS = ['app', 'rule', 'owner', 'severity', 'segment'] as const;
type MatchKey = (typeof MATCH_KEYS)[number];

/** A silence as users request it; `*` in a pattern matches any text. */
export interface AskedSilence {
  match: Partial<Record<MatchKey, string>>;
  untilAt: number;
}

/** A silence. `holds`: the number of open alerts that it matches; `note`: why it may never match, else `null`. */
export type SilenceReport = Silence & { holds: number; note: string | null };

/** A silence in `--json` output. Times are ISO 8601 in UTC. */
export type PlainSilence = Omit<Silence, 'fromAt' | 'untilAt' | 'at'> &
  Record<'from' | 'until' | 'at', string>;

export function plainSilence<T extends Silence>({ fromAt, untilAt, at, ...silence }: T) {
  const iso = (time: number) => new Date(time).toISOString();
  return { ...silence, from: iso(fromAt), until: iso(untilAt), at: iso(at) };
}

/**
 * Adds a silence, with the same code as the page. Throws `InvalidRequestError` if it matches everything or no deployed
 * rule, or if it is too long.
 */
export async function silence(
  { match, untilAt }: AskedSilence,
  who: Author,
  { stores, ...deps }: Omit<SilencingDeps, 'silences'> & { stores: Stores },
): Promise<SilenceReport> {
  const now = deps.clock.now();
  if (untilAt - now > LONGEST_DAYS * 24 * HOUR_MS)
    throw new InvalidRequestError(
      `a silence lasts at most ${LONGEST_DAYS} days; remove a rule that must never notify`,
    );
  const form = silenceFormSchema.safeParse({ ...match, hours: (untilAt - now) / HOUR_MS });
  if (!form.success)
    throw new InvalidRequestError('narrow the silence with --match: it cannot match everything');
  const rules = (await stores.rules.loadCurrent())?.rules ?? [];
  const fault = silenceFault(form.data.match, rules);
  if (fault !== undefined) throw new InvalidRequestError(fault);
  const added = await addSilence({ match: form.data.match, untilAt }, who, {
    ...deps,
    silences: stores.silences,
  });
  const note = (await segmentNote(form.data.match, rules, stores.alerts)) ?? null;
  return { ...added, holds: await heldBy(added, stores, now), note };
}

/** Silences that have not ended, soonest end first; `all` includes ended ones that are still stored. */
export async function listSilences(stores: Stores, all: boolean, now: number): Promise<Silence[]> {
  const silences = await stores.silences.loadAll();
  return silences.filter(({ untilAt }) => all || untilAt > now).toSorted((a, b) => a.untilAt - b.untilAt);
}

/** Ends the silence whose id starts with `start`. Throws `ConfigError` if none or several match. */
export async function expireSilence(start: string, stores: Stores, clock: Clock): Promise<Silence> {
  const active = await listSilences(stores, false, clock.now());
  const [found, ...others] = active.filter(({ id }) => id.startsWith(start));
  if (others.length > 0)
    throw new ConfigError(`${others.length + 1} silences start with "${start}": use more of the id`);
  const ended =
    found && (await endSilence(found.id, { silences: stores.silences, clock, newId: () => found.id }));
  if (!ended)
    throw new ConfigError(
      `no active silence starts with "${start}"; list them with: deltawatch silence list`,
    );
  return ended;
}

async function heldBy({ match }: Silence, stores: Stores, now: number): Promise<number> {
  const status = await loadStatus(stores, now);
  return watchedIn(status).filter((each) => isOpenOrFlapping(each) && matches(match, matchedOf(each))).length;
}

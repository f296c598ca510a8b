import { NOTE_KEPT_DAYS, type Note } from '../shared/alerts/note.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import { ConfigError, InvalidRequestError } from '../shared/runtime/errors.ts';
import type { Stores } from '../shared/store/stores.ts';

const KEPT_MS = NOTE_KEPT_DAYS * 86_400_000;

/** A note as `--json` prints it: its time is ISO 8601 in UTC. */
export function plainNote({ at, ...note }: Note) {
  return { ...note, at: new Date(at).toISOString() };
}

/**
 * Saves a note. `hint` says why no chart will show it, else `null`. Throws `InvalidRequestError` for a time in the future
 * or one that is older than notes are kept.
 */
export async function saveNote(
  note: Note,
  { notes, rules }: Pick<Stores, 'notes' | 'rules'>,
  clock: Clock,
): Promise<{ hint: string | null }> {
  const now = clock.now();
  if (note.at > now)
    throw new InvalidRequestError('--at must not be in the future: a note is about the past');
  if (note.at <= now - KEPT_MS)
    throw new InvalidRequestError(
      `--at must be within the last ${NOTE_KEPT_DAYS} days: older notes are removed`,
    );
  await notes.save(note);
  const apps = new Set((await rules.loadCurrent())?.rules.map(({ app }) => app));
  const isUnseen = note.app !== null && !apps.has(note.app);
  return {
    hint: isUnseen ? `no deployed rule watches the app "${note.app}", so no chart shows this note` : null,
  };
}

/** The stored notes, newest first; those of one app include the notes of all apps. */
export function listNotes(
  { notes }: Pick<Stores, 'notes'>,
  app: string | undefined,
  clock: Clock,
): Promise<Note[]> {
  const now = clock.now();
  return notes.load({ ...(app !== undefined && { app }), fromAt: now - KEPT_MS, throughAt: now });
}

/** Removes the note whose id starts with `start`. Throws `ConfigError` if none or several match. */
export async function removeNote(start: string, stores: Pick<Stores, 'notes'>, clock: Clock): Promise<Note> {
  const notes = await listNotes(stores, undefined, clock);
  const [found, ...others] = notes.filter(({ id }) => id.startsWith(start));
  if (others.length > 0)
    throw new ConfigError(`${others.length + 1} notes start with "${start}": use more of the id`);
  if (!found)
    throw new ConfigError(
      `no note has an id that starts with "${start}"; list them with: deltawatch note --list`,
    );
  await stores.notes.remove(found);
  return found;
}

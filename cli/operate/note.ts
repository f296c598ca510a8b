import { randomUUID } from 'node:crypto';
import { Command, InvalidArgumentError, Option } from 'commander';
import { NOTE_KEPT_DAYS, type Note, noteTextSchema } from '../../shared/alerts/note.ts';
import { type Clock, type Millis, systemClock } from '../../shared/runtime/clock.ts';
import { ConfigError, InvalidRequestError } from '../../shared/runtime/errors.ts';
import { printable } from '../../shared/runtime/redaction.ts';
import type { Stores } from '../../shared/store/stores.ts';
import { iso } from '../../shared/time/iso.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import { asOption } from '../options/author-option.ts';
import { type InstallationOptions, ofInstallation, withInstallation } from '../options/installation.ts';
import { examples, instant } from '../terminal/arguments.ts';
import { minuteText } from '../terminal/minute-text.ts';
import { tableText } from '../terminal/table.ts';
import { safeLines } from '../terminal/wrapping.ts';
import { shortId } from './silencing.ts';

interface NoteOptions extends InstallationOptions {
  app?: string;
  at?: Millis;
  as: string;
  list?: true;
  remove?: string;
  json?: true;
}

/** `deltawatch note`: marks on charts when something happened. */
export function noteCommand(clock: Clock = systemClock): Command {
  const command = new Command('note')
    .description('Mark on charts and in messages when something happened, such as a release')
    .argument('[text]', 'What happened, in one line', noteText)
    .option('--app <id>', 'The app that it concerns; default: all apps')
    .option('--at <time>', 'When it happened, such as 2026-03-01T06:00Z; default: now', instant)
    .addOption(new Option('--list', 'List the notes, newest first').conflicts(['remove', 'at']))
    .addOption(
      new Option('--remove <id>', 'Remove a note, by its id or the start of it').conflicts(['app', 'at']),
    );
  return ofInstallation(command)
    .addOption(asOption())
    .option('--json', 'Print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['note "release 7.22" --app demo', 'Something happened now'],
        ['note "price test started" --at 2026-03-01T06:00Z', 'Something happened earlier, in all apps'],
        ['note --list --app demo', 'The notes of an app, with their ids'],
        ['note --remove 5f3a4f83', 'Remove a note'],
      ),
    )
    .action(
      async (text: string | undefined, { app, at, as: by, list, remove, json, ...place }: NoteOptions) => {
        if ([text, list, remove].filter((each) => each !== undefined).length !== 1)
          throw new InvalidRequestError('give the text of a note, or --list, or --remove with an id');
        await withInstallation(place, clock, async ({ stores }) => {
          if (remove !== undefined) return printRemoved(await removeNote(remove, stores, clock), json);
          if (text === undefined) return printList(await listNotes(stores, app, clock), json);
          const note: Note = { id: randomUUID(), text, app: app ?? null, at: at ?? clock.now(), by };
          const { hint } = await saveNote(note, stores, clock);
          if (hint !== null) console.error(safeLines(`note: ${hint}`).join('\n'));
          printAdded(note, json);
        });
      },
    );
}

function printAdded(note: Note, json: true | undefined): void {
  const { id, at, app } = note;
  const which = app === null ? 'all apps' : `the app ${printable(app)}`;
  console.log(
    json ? JSON.stringify(plainNote(note)) : `Added note ${shortId(id)} to ${which}, at ${minuteText(at)}.`,
  );
}

function printRemoved(note: Note, json: true | undefined): void {
  console.log(
    json ? JSON.stringify(plainNote(note)) : `Removed note ${shortId(note.id)}: ${printable(note.text)}`,
  );
}

function printList(notes: Note[], json: true | undefined): void {
  if (json) console.log(JSON.stringify(notes.map(plainNote)));
  else console.log(notes.length === 0 ? 'No notes.' : noteTable(notes));
}

/** The notes as a table of 80 columns. */
function noteTable(notes: Note[]): string {
  return tableText(
    [
      { title: 'ID' },
      { title: 'AT (UTC)' },
      { title: 'APP', width: 12 },
      { title: 'NOTE', width: 26 },
      { title: 'BY', width: 10 },
    ],
    notes.map(({ id, at, app, text, by }) => [
      shortId(id),
      minuteText(at).slice(0, 16),
      printable(app ?? 'all apps'),
      printable(text),
      printable(by),
    ]),
  );
}

function noteText(text: string): string {
  const known = noteTextSchema.safeParse(text);
  if (!known.success) throw new InvalidArgumentError('Use one line of 1 to 200 characters.');
  return known.data;
}

const KEPT_MS = NOTE_KEPT_DAYS * DAY_MS;

/** A note as `--json` prints it: its time is ISO 8601 in UTC. */
function plainNote({ at, ...note }: Note) {
  return { ...note, at: iso(at) };
}

/**
 * Saves a note. `hint` says why no chart will show it, else `null`. Throws `InvalidRequestError` for a time in the future
 * or one that is older than notes are kept.
 */
async function saveNote(
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
function listNotes({ notes }: Pick<Stores, 'notes'>, app: string | undefined, clock: Clock): Promise<Note[]> {
  const now = clock.now();
  return notes.load({ ...(app !== undefined && { app }), fromAt: now - KEPT_MS, throughAt: now });
}

/** Removes the note whose id starts with `start`. Throws `ConfigError` if none or several match. */
async function removeNote(start: string, stores: Pick<Stores, 'notes'>, clock: Clock): Promise<Note> {
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

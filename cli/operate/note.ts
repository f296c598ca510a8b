import { randomUUID } from 'node:crypto';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { Place } from '../../local/installation.ts';
import { listNotes, plainNote, removeNote, saveNote } from '../../operations/noting.ts';
import { type Note, noteTextSchema } from '../../shared/alerts/note.ts';
import { type Clock, type Millis, systemClock } from '../../shared/runtime/clock.ts';
import { InvalidRequestError } from '../../shared/runtime/errors.ts';
import { printable } from '../../shared/runtime/redaction.ts';
import { asOption } from '../options/author-option.ts';
import { ofInstallation, withInstallation } from '../options/installation.ts';
import { examples, instant } from '../terminal/arguments.ts';
import { minuteText } from '../terminal/minute-text.ts';
import { safeLines } from '../terminal/safe-lines.ts';
import { tableText } from '../terminal/table.ts';
import { shortId } from './silence-text.ts';

interface NoteOptions extends Place {
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

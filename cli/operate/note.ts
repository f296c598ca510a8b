import { randomUUID } from 'node:crypto';
import { Option } from 'commander';
import { NOTE_KEPT_DAYS, type Note, noteTextSchema } from '../../shared/alerts/note.ts';
import { type Clock, type Millis, systemClock } from '../../shared/runtime/clock.ts';
import { InvalidRequestError } from '../../shared/runtime/errors.ts';
import { printable } from '../../shared/runtime/redaction.ts';
import { iso } from '../../shared/time/iso.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import { asOption } from '../options/author-option.ts';
import { type InstallationOptions, ofInstallation, withInstallation } from '../options/installation.ts';
import { fitting, instant } from '../terminal/arguments.ts';
import { Command } from '../terminal/command.ts';
import { itemWithId, shortId } from '../terminal/short-id.ts';
import { tableText } from '../terminal/table.ts';
import { minuteText } from '../terminal/times.ts';

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
    .argument('[text]', 'What happened, in one line', NOTE_TEXT)
    .option('--app <id>', 'The app that it concerns; default: all apps')
    .option('--at <time>', 'When it happened, such as 2026-03-01T06:00Z; default: now', instant)
    .addOption(new Option('--list', 'List the notes, newest first').conflicts(['remove', 'at']))
    .addOption(
      new Option('--remove <id>', 'Remove a note, by its id or the start of it').conflicts(['app', 'at']),
    );
  return ofInstallation(command)
    .addOption(asOption())
    .option('--json', 'Print one JSON document')
    .example('note "release 7.22" --app demo', 'Something happened now')
    .example('note "price test started" --at 2026-03-01T06:00Z', 'Something happened earlier, in all apps')
    .example('note --list --app demo', 'The notes of an app, with their ids')
    .example('note --remove 5f3a4f83', 'Remove a note')
    .action(async (text: string | undefined, options: NoteOptions) => {
      const { app, at, as: by, list, remove, json } = options;
      if ([text, list, remove].filter((each) => each !== undefined).length !== 1)
        throw new InvalidRequestError('give the text of a note, or --list, or --remove with an id');
      await withInstallation(options, clock, async ({ stores }) => {
        const now = clock.now();
        if (text !== undefined) {
          const note: Note = { id: randomUUID(), text, app: app ?? null, at: at ?? now, by };
          if (note.at > now || note.at <= now - KEPT_MS)
            throw new InvalidRequestError(`--at must be within the last ${NOTE_KEPT_DAYS} days`);
          await stores.notes.save(note);
          await stores.audit.save({ ...auditOf(note), by, at: now, kind: 'note-added' });
          const which = app === undefined ? 'all apps' : `the app ${printable(app)}`;
          return print(`Added note ${shortId(note.id)} to ${which}, at ${minuteText(note.at)}.`, note, json);
        }
        const filter = { ...(app !== undefined && { app }), fromAt: now - KEPT_MS, throughAt: now };
        const notes = await stores.notes.load(filter);
        if (remove === undefined)
          return print(notes.length > 0 ? noteTable(notes) : 'No notes.', notes, json);
        const found = itemWithId(notes, remove, { noun: 'note', list: 'deltawatch note --list' });
        await stores.notes.remove(found);
        await stores.audit.save({ ...auditOf(found), by, at: now, kind: 'note-removed' });
        print(`Removed note ${shortId(found.id)}: ${printable(found.text)}`, found, json);
      });
    });
}

const auditOf = ({ id: on, text: detail, app }: Note) => ({ on, detail, app, how: 'cli' as const });

/** Times in `--json` are ISO 8601 in UTC. */
function print(text: string, document: Note | Note[], json: true | undefined): void {
  const isoAt = (key: string, value: unknown) =>
    key === 'at' && typeof value === 'number' ? iso(value) : value;
  console.log(json ? JSON.stringify(document, isoAt) : text);
}

function noteTable(notes: Note[]): string {
  return tableText(
    { ID: {}, 'AT (UTC)': {}, APP: { width: 12 }, NOTE: { width: 26 }, BY: { width: 10 } },
    notes.map(({ id, at, app, text, by }) => [
      shortId(id),
      minuteText(at).slice(0, 16),
      printable(app ?? 'all apps'),
      printable(text),
      printable(by),
    ]),
  );
}

const NOTE_TEXT = fitting(noteTextSchema, 'Use one line of 1 to 200 characters.');
const KEPT_MS = NOTE_KEPT_DAYS * DAY_MS;

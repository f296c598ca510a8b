import * as z from 'zod';
import { someLineOf } from './author.ts';

export const noteSchema = z.object({
  id: z.string(),
  text: z.string(),
  /** The app that it concerns; `null` for all apps. */
  app: z.string().nullable(),
  /** When it happened, in epoch milliseconds. */
  at: z.number(),
  by: z.string(),
});
/** A thing that happened, such as a release. Charts mark it. */
export type Note = z.infer<typeof noteSchema>;

const MOST_TEXT = 200;

/** The author of notes that Deltawatch adds itself, about what the data shows. */
export const FROM_DATA = 'data';

/** Who added the note, after its text: "by Anna", "from the data". */
export function authorText({ by }: Pick<Note, 'by'>): string {
  return by === FROM_DATA ? 'from the data' : `by ${by}`;
}

/** How long notes are kept after they happened: charts show up to 2 years, but most of them weeks. */
export const NOTE_KEPT_DAYS = 400;

/** One line of text. */
export const noteTextSchema = someLineOf(MOST_TEXT);

/** Selects notes. `app` adds those of one app to those of all apps; without it, notes of every app. */
interface NotesWanted {
  app?: string;
  /** Both ends inclusive, in epoch milliseconds. */
  fromAt: number;
  throughAt: number;
}

export interface NoteStore {
  save(note: Note): Promise<void>;
  /** Newest first, and at most the newest 500. */
  load(wanted: NotesWanted): Promise<Note[]>;
  /** Does nothing if the note does not exist. */
  remove(note: Note): Promise<void>;
}

/** How many notes `load` returns at most. */
export const MOST_NOTES = 500;

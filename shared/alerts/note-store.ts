import type { Note } from './note.ts';

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

import * as z from 'zod';
import { NOTE_KEPT_DAYS, type Note, noteTextSchema } from '../alerts/note.ts';
import type { NoteStore } from '../alerts/note-store.ts';
import { MINUTE_MS } from '../units/durations.ts';

const MOST_MINUTES_AGO = NOTE_KEPT_DAYS * 24 * 60;

/** The form of a note. `back` is the path of the page that it was sent from. */
export const noteFormSchema = z.object({
  text: noteTextSchema,
  app: z.string().trim().min(1).max(200),
  minutes_ago: z.coerce.number().int().min(0).max(MOST_MINUTES_AGO),
  back: z.string().regex(/^\/(?:alerts|rules)\/[^\\]*$/),
});

export type NoteForm = z.output<typeof noteFormSchema>;

export interface NotingDeps {
  notes: Pick<NoteStore, 'save'>;
  newId: () => string;
}

/** Saves a note of something that happened at `minutes_ago` before `now`. */
export async function addNote(
  { text, app, minutes_ago }: NoteForm,
  { by, now }: { by: string; now: number },
  { notes, newId }: NotingDeps,
): Promise<Note> {
  const note: Note = { id: newId(), text, app, at: now - minutes_ago * MINUTE_MS, by };
  await notes.save(note);
  return note;
}

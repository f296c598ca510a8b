import type { Note } from '../alerts/note.ts';
import type { PendingNotification } from '../notifications/pending.ts';
import { firstOf } from '../text/listed.ts';
import { quoted } from '../text/quoted.ts';
import type { Window } from '../time/window.ts';
import { MINUTE_MS } from '../units/durations.ts';
import { spanText } from './figure-text.ts';

/** Notes in a message. */
const NAMED = 3;

/** The span of the notes that a message names: from its baseline to its window. `undefined`: it names none. */
export function noteSpan({ notification }: Pick<PendingNotification, 'notification'>): Window | undefined {
  const { transition, evaluation } = notification;
  if (transition !== 'fired' || !evaluation) return undefined;
  return { startAt: evaluation.baseline.window.startAt, endAt: evaluation.current.window.endAt };
}

/** What happened between the baseline and the breach, the last first. */
export function newsNotes(news: Pick<PendingNotification, 'notification' | 'rule' | 'notes'>): Note[] {
  const { rule, notes = [] } = news;
  const span = noteSpan(news);
  return notes
    .filter(({ app }) => app === null || app === rule?.app)
    .filter(({ at }) => span && at >= span.startAt && at < span.endAt)
    .toSorted((a, b) => b.at - a.at);
}

/** `beganAt`: the start of the first window that breached. */
export function notesText(notes: Note[], beganAt: number): string {
  const texts = notes.map((note) => noteText(note, beganAt));
  return firstOf(texts, NAMED).join('; ');
}

/** "Release 5.2, 40 minutes before". */
function noteText({ text, at }: Note, beganAt: number): string {
  if (Math.abs(at - beganAt) < MINUTE_MS) return `${quoted(text)}, when it began`;
  const span = spanText(Math.abs(at - beganAt));
  return `${quoted(text)}, ${span} ${at < beganAt ? 'before' : 'after the change began'}`;
}

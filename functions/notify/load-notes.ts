import { noteSpan } from '../../shared/messages/note-text.ts';
import type { PendingNotification } from '../../shared/notifications/pending.ts';
import type { NotifyDeps } from './sweep.ts';

/** Adds the notes that the messages name. Messages are sent without them if they cannot be read. */
export async function withNotes(
  pending: PendingNotification[],
  { notes, logger }: Pick<NotifyDeps, 'notes' | 'logger'>,
): Promise<PendingNotification[]> {
  const spans = pending.flatMap((each) => noteSpan(each) ?? []);
  if (spans.length === 0) return pending;
  try {
    const found = await notes.load({
      fromAt: Math.min(...spans.map(({ startAt }) => startAt)),
      throughAt: Math.max(...spans.map(({ endAt }) => endAt)),
    });
    return found.length === 0 ? pending : pending.map((each) => ({ ...each, notes: found }));
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown error';
    logger.warn('notes could not be read; messages are sent without them', { reason });
    return pending;
  }
}

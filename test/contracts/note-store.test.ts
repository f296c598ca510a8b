import { describe, expect, test } from 'vitest';
import type { Note, NoteStore } from '../../shared/alerts/note.ts';
import { noteStoreIn } from '../../shared/store/note-store.ts';
import { DAY_MS, HOUR_MS } from '../../shared/units/durations.ts';
import { onEachTable, onEmptyTable } from './both-stores.ts';
import { NOW } from './samples.ts';

function aNote(id: string, overrides: Partial<Note> = {}): Note {
  return { id, text: 'release 7.22', app: 'shop', at: NOW, by: 'Anna', ...overrides };
}

function noteStoreContract(store: () => NoteStore) {
  const all = { fromAt: NOW - DAY_MS, throughAt: NOW + DAY_MS };

  test('load returns notes as saved, newest first', async () => {
    const notes = [aNote('a', { text: 'Ausgabe 7 “beta”', app: null }), aNote('b', { at: NOW - HOUR_MS })];
    for (const note of notes.toReversed()) await store().save(note);
    expect(await store().load(all)).toEqual(notes);
  });

  test('load selects a span with both ends', async () => {
    for (const hours of [0, 1, 2, 3]) await store().save(aNote(`${hours}`, { at: NOW + hours * HOUR_MS }));
    const found = await store().load({ fromAt: NOW + HOUR_MS, throughAt: NOW + 2 * HOUR_MS });
    expect(found.map(({ id }) => id)).toEqual(['2', '1']);
  });

  test('load for an app includes notes of all apps, and none of other apps', async () => {
    for (const app of ['shop', 'bank', null]) await store().save(aNote(`${app}`, { app }));
    const found = await store().load({ ...all, app: 'shop' });
    expect(found.map(({ app }) => app).toSorted()).toEqual([null, 'shop'].toSorted());
    expect(await store().load(all)).toHaveLength(3);
  });

  test('remove removes only this note, and can be repeated', async () => {
    await store().save(aNote('a'));
    await store().save(aNote('b'));
    await store().remove(aNote('a'));
    await store().remove(aNote('a'));
    expect(await store().load(all)).toEqual([aNote('b')]);
  });
}

describe('NoteStore', () => {
  onEachTable(noteStoreIn, noteStoreContract);

  describe('in DynamoDB', () => {
    const table = onEmptyTable();

    test('a note is kept for 400 days', async () => {
      const store = noteStoreIn(table());
      await store.save(aNote('a'));
      table().clock.advanceTo(NOW + 400 * DAY_MS - 1000);
      expect(await store.load({ fromAt: NOW, throughAt: NOW })).toHaveLength(1);
      table().clock.advanceTo(NOW + 400 * DAY_MS + 1000);
      expect(await store.load({ fromAt: NOW, throughAt: NOW })).toEqual([]);
    });
  });
});

import { describe, expect, test } from 'vitest';
import { noteCommand } from '../../../cli/operate/note.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { NOW } from '../../functions/respond/desk.ts';
import { onRunning } from '../operated.ts';

const { clock, stores, run } = onRunning();

const note = (...args: string[]) => run(noteCommand(clock), ...args);
const all = { fromAt: 0, throughAt: NOW };

describe('note', () => {
  test('saves what happened, when, where and by whom', async () => {
    const at = new Date(NOW - HOUR_MS).toISOString();
    const printed = await note('release 7.22', '--app', 'shop', '--at', at, '--as', 'CI');
    expect(printed).toMatch(/^Added note \w{8} to the app shop, at 2026-03-03 08:00 UTC\.$/m);
    expect(await stores().notes.load(all)).toMatchObject([
      { text: 'release 7.22', app: 'shop', at: NOW - HOUR_MS, by: 'CI' },
    ]);
  });

  test('is by default now and about all apps', async () => {
    await note('price test ended');
    expect(await stores().notes.load(all)).toMatchObject([{ app: null, at: NOW }]);
  });

  test('lists notes in 80 columns, and removes one by the start of its id', async () => {
    await note('release 7.22 with a name that is far too long for a column of a table', '--app', 'shop');
    await note('release of the bank', '--app', 'bank');
    expect(await note('--list', '--app', 'shop')).not.toContain('bank');
    const printed = await note('--list');
    expect(Math.max(...printed.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    const [id = ''] = /^\w{8}(?=.*release of)/m.exec(printed) ?? [];
    expect(await note('--remove', id)).toContain(`Removed note ${id}: release of the bank`);
    expect(await stores().notes.load(all)).toHaveLength(1);
    await expect(note('--remove', id)).rejects.toThrow('no note has an id that starts with');
  });

  test.each([
    ['nothing', [], 'give the text of a note, or --list, or --remove'],
    ['a text and a list', ['release', '--list'], 'give the text of a note, or --list, or --remove'],
    ['the future', ['release', '--at', '2099-01-01'], 'within the last 400 days'],
    ['the distant past', ['release', '--at', '2020-01-01'], 'within the last 400 days'],
  ])('refuses %s', async (_, args, message) => {
    await expect(note(...args)).rejects.toThrow(message);
    expect(await stores().notes.load(all)).toEqual([]);
  });
});

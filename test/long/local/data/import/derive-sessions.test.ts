import { describe, expect, it } from 'vitest';
import { csv, importsIntoShop } from '../../../../local/data/import/imported-shop.ts';

const { importText, rowsOf, sessionsOf } = importsIntoShop();

describe('derived sessions', () => {
  it('end after thirty minutes without events', async () => {
    await importText(
      'e.csv',
      csv(
        'b,u,2026-03-01T10:29:59.999Z',
        'a,u,2026-03-01T10:00:00Z',
        'c,u,2026-03-01T10:59:59.999Z',
        'd,v,2026-03-01T10:40:00Z',
        'e,u,2026-03-01T11:05:00Z',
      ),
    );
    const at = (iso: string) => Date.parse(iso);
    expect(await sessionsOf()).toEqual(
      [
        {
          session_id: `u-${at('2026-03-01T10:00Z')}`,
          user_id: 'u',
          session_number: 1,
          duration_sec: 1799.999,
          event_count: '2',
        },
        {
          session_id: `u-${at('2026-03-01T10:59:59.999Z')}`,
          user_id: 'u',
          session_number: 2,
          duration_sec: 300.001,
          event_count: '2',
        },
        {
          session_id: `v-${at('2026-03-01T10:40Z')}`,
          user_id: 'v',
          session_number: 1,
          duration_sec: 0,
          event_count: '1',
        },
      ].map((row) => ({ ...row, event_count: Number(row.event_count) })),
    );
    expect(
      await rowsOf('SELECT count(*)::INTEGER AS n FROM events ANTI JOIN sessions USING (session_id)'),
    ).toEqual([{ n: 0 }]);
  });

  it('have screen visits that end at the next screen or with the session', async () => {
    const header = 'event_name,user_id,screen_name,recorded_at,rage_gesture_count\n';
    const rows = [
      'a,u,Home,2026-03-01T10:00Z,0',
      'b,u,,2026-03-01T10:01Z,0',
      'c,u,Home,2026-03-01T10:02Z,2',
      'd,u,Cart,2026-03-01T10:05Z,0',
      'e,u,Home,2026-03-01T10:06Z,0',
      'f,u,Home,2026-03-01T10:08Z,0',
      'g,v,Home,2026-03-01T10:00Z,3',
    ];
    await importText('e.csv', header + rows.join('\n'));
    const visit = (user_id: string, screen_name: string, time_on_screen_sec: number, ends: string[]) => ({
      user_id,
      screen_name,
      time_on_screen_sec,
      is_entry: ends.includes('entry'),
      is_exit: ends.includes('exit'),
      is_bounce: ends.length === 2,
      visit_rage_gesture_count: ends.length === 2 ? 3 : null,
    });
    expect(
      await rowsOf(`SELECT user_id, screen_name, time_on_screen_sec, is_entry, is_exit, is_bounce,
        visit_rage_gesture_count FROM screen_visits ORDER BY user_id, recorded_at`),
    ).toEqual([
      visit('u', 'Home', 300, ['entry']),
      visit('u', 'Cart', 60, []),
      visit('u', 'Home', 120, ['exit']),
      visit('v', 'Home', 0, ['entry', 'exit']),
    ]);
  });

  it('have the end as upload time; events have their own time', async () => {
    await importText('e.csv', csv('a,u,2026-03-01T10:00Z', 'b,u,2026-03-01T10:20Z', 'c,u,2026-03-01T10:45Z'));
    expect(await rowsOf('SELECT uploaded_at FROM sessions')).toEqual([
      { uploaded_at: '2026-03-01 10:45:00' },
    ]);
    expect(await rowsOf('FROM events SELECT event_name WHERE uploaded_at = recorded_at')).toHaveLength(3);
  });

  it('have the last upload time of their events if the file has upload times', async () => {
    const header = 'event_name,user_id,recorded_at,uploaded_at\n';
    await importText(
      'e.csv',
      `${header}a,u,2026-03-01T10:00Z,2026-03-02T10:00Z\nb,u,2026-03-01T10:05Z,2026-03-01T10:06Z\n`,
    );
    expect(await rowsOf('SELECT uploaded_at FROM sessions')).toEqual([
      { uploaded_at: '2026-03-02 10:00:00' },
    ]);
  });
});

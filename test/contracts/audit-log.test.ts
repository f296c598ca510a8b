import { describe, expect, test } from 'vitest';
import type { AuditLog } from '../../shared/alerts/audit.ts';
import { auditLogIn } from '../../shared/store/audit-log.ts';
import { openSqliteTable } from '../../shared/store/sqlite-table.ts';
import type { Table } from '../../shared/store/table.ts';
import { DAY_MS, HOUR_MS } from '../../shared/units/durations.ts';
import { onEachTable, onEmptyTable } from './both-stores.ts';
import { anAuditEntry, NOW, SILENT } from './samples.ts';

const inTable = (table: Table) => auditLogIn(table, SILENT);

function auditLogContract(log: () => AuditLog) {
  const idsOf = async (wanted: Parameters<AuditLog['load']>[0]) =>
    (await log().load(wanted)).map(({ on }) => on);

  test('load returns entries as saved, newest first, each with an id', async () => {
    const entries = [
      anAuditEntry({ segment: 'Ålesund “A”', reason: '' }),
      anAuditEntry({ at: NOW - HOUR_MS, by: null, how: 'deployment', kind: 'rules-deployed', app: null }),
    ];
    for (const entry of entries.toReversed()) await log().save(entry);
    const loaded = await log().load({ atMost: 10 });
    expect(loaded.map(({ id: _, ...entry }) => entry)).toEqual(entries);
    expect(new Set(loaded.map(({ id }) => id)).size).toBe(2);
  });

  test('two acts at the same moment are two entries', async () => {
    for (const on of ['orders', 'views']) await log().save(anAuditEntry({ on }));
    expect((await idsOf({ atMost: 10 })).toSorted()).toEqual(['orders', 'views']);
  });

  test('load pages by the id of the last entry, and selects from a time', async () => {
    for (const hours of [0, 1, 2, 3])
      await log().save(anAuditEntry({ on: `${hours}`, at: NOW + hours * HOUR_MS }));
    const first = await log().load({ atMost: 2 });
    expect(first.map(({ on }) => on)).toEqual(['3', '2']);
    const before = first.at(-1)?.id;
    expect(await idsOf({ atMost: 2, before })).toEqual(['1', '0']);
    expect(await idsOf({ atMost: 2, before, fromAt: NOW + HOUR_MS })).toEqual(['1']);
    expect(await idsOf({ atMost: 2, before: '0', fromAt: NOW })).toEqual([]);
  });
}

describe('AuditLog', () => {
  onEachTable(inTable, auditLogContract);

  describe('in DynamoDB', () => {
    const table = onEmptyTable();

    test('an entry is kept for 400 days', async () => {
      await inTable(table()).save(anAuditEntry());
      table().clock.advanceTo(NOW + 400 * DAY_MS - 1000);
      expect(await inTable(table()).load({ atMost: 9 })).toHaveLength(1);
      table().clock.advanceTo(NOW + 400 * DAY_MS + 1000);
      expect(await inTable(table()).load({ atMost: 9 })).toEqual([]);
    });

    test('an entry that cannot be written is logged, and does not fail what was done', async () => {
      const logged: unknown[] = [];
      const error = (message: string, fields?: object) => void logged.push({ message, ...fields });
      const put = () => Promise.reject(new Error('the table is gone'));
      const failing = { ...openSqliteTable(':memory:', table().clock), put };
      await auditLogIn(failing, { ...SILENT, error }).save(anAuditEntry());
      expect(logged).toMatchObject([
        { message: 'an entry of the audit log could not be written', entry: { by: 'Anna', on: 'orders' } },
      ]);
    });
  });
});

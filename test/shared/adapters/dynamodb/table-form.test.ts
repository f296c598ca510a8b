import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LocalTable, openLocalTable } from '../../../../local/table.ts';
import { putItem } from '../../../../shared/adapters/dynamodb/requests.ts';
import { requireTableForm, TABLE_FORM } from '../../../../shared/adapters/dynamodb/table-form.ts';
import { ManualClock } from '../../../../shared/runtime/clock.ts';
import { MONDAY } from '../../../fixtures/builders.ts';

let table: LocalTable;
beforeAll(async () => {
  table = await openLocalTable(new ManualClock(MONDAY));
});
afterAll(() => table.close());

const isEmpty = async () => true;
const isFull = async () => false;
const key = { pk: 'DEPLOYMENT', sk: 'FORM' };

test('a table that was written before tables had a form is refused', async () => {
  await expect(requireTableForm(table, isFull)).rejects.toThrow(
    `has items of form 0, and this version of Deltawatch reads form ${TABLE_FORM}: delete the stage and deploy it again`,
  );
});

test('an empty table gets the form, and is accepted from then on', async () => {
  await requireTableForm(table, isEmpty);
  await expect(requireTableForm(table, isFull)).resolves.toBeUndefined();
});

test('a table of a later version is refused', async () => {
  await putItem(table, { Item: { ...key, form: TABLE_FORM + 1 } });
  await expect(requireTableForm(table, isFull)).rejects.toThrow(
    'deploy the version that wrote them, or a later one',
  );
});

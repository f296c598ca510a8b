import * as z from 'zod';
import { ConfigError } from '../../runtime/errors.ts';
import { getItem, type Key, putItem, type Table } from './requests.ts';

/** The form of the items in the table. Raise it with a migration when stored items change in a way that old code cannot read. */
export const TABLE_FORM = 1;

const KEY: Key = { pk: 'DEPLOYMENT', sk: 'FORM' };

const formSchema = z.object({ form: z.number() });

/**
 * Marks an empty table with its form. Throws `ConfigError` if the table has items of another form: `isEmpty` says whether
 * a table without a mark is new, or was written before tables had one.
 */
export async function requireTableForm(table: Table, isEmpty: () => Promise<boolean>): Promise<void> {
  const item = await getItem(table, KEY);
  if (!item && (await isEmpty())) {
    await putItem(table, { Item: { ...KEY, form: TABLE_FORM } });
    return;
  }
  const form = item ? formSchema.parse(item).form : 0;
  if (form === TABLE_FORM) return;
  throw new ConfigError(
    `the table ${table.name} has items of form ${form}, and this version of Deltawatch reads form ${TABLE_FORM}: ` +
      (form < TABLE_FORM
        ? 'delete the stage and deploy it again'
        : 'deploy the version that wrote them, or a later one'),
  );
}

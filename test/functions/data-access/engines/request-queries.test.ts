import { expect, test } from 'vitest';
import { requestQueries } from '../../../../functions/data-access/engines/request-queries.ts';
import { BusyError, QueryLimitError } from '../../../../shared/runtime/errors.ts';

const noTurn = () => Promise.reject(new BusyError('no turn'));

test('a request whose queries only waited is refused as busy', async () => {
  const { run } = requestQueries();
  await expect(run(undefined, noTurn)).rejects.toThrow(BusyError);
});

test('a request that had a turn is too large, even if its next query only waited', async () => {
  const { run } = requestQueries();
  await run(undefined, async (_signal, onTurn) => onTurn());
  await expect(run(undefined, noTurn)).rejects.toThrow(QueryLimitError);
});

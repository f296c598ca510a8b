import { expect, test } from 'vitest';
import { callDrill, withdrawDrill } from '../../../shared/alerting/drill-debts.ts';
import { HOUR, MONDAY } from '../../fixtures/builders.ts';

const MINUTE = 60_000;

test('a drill waits minutes, and not an hour, for the end of one that could not be told', () => {
  const drill = { route: 'default', channels: ['pager'], by: 'ada', reason: '', severity: 'info' } as const;
  const called = callDrill(undefined, { ...drill, channels: ['pager'], at: MONDAY });
  const tried = Object.entries(called.owed).map(([key, debt]) => [key, { ...debt, attempts: 1 }]);
  const ended = withdrawDrill({ ...called, owed: Object.fromEntries(tried) }, MONDAY, MONDAY + MINUTE);
  const refused = Object.entries(ended.owed).map(([key, debt]) => [
    key,
    { ...debt, attempts: 6, dueAt: MONDAY + 2 * HOUR },
  ]);
  const at = MONDAY + HOUR;
  const again = callDrill(
    { ...ended, owed: Object.fromEntries(refused) },
    { ...drill, channels: ['pager'], at },
  );
  expect(Object.values(again.owed).map(({ transition, dueAt }) => [transition, dueAt - at])).toEqual([
    ['drill-over', 2 * MINUTE],
    ['drill', 0],
  ]);
});

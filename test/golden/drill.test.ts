import { describe } from 'vitest';
import { settle } from '../../shared/alerting/debts.ts';
import { callDrill } from '../../shared/alerting/drill-debts.ts';
import type { Owed } from '../../shared/alerting/message.ts';
import type { Severity } from '../../shared/alerting/rule.ts';
import { golden } from './golden.ts';
import { TUESDAY_3_AM } from './situations.ts';

const called = (severity: Severity, reason: string) =>
  callDrill(undefined, {
    ...{ route: 'checkout', channels: ['pager'], by: 'Anna', severity, reason, at: TUESDAY_3_AM },
  });

const owedBy = (alert: ReturnType<typeof called>): Owed[] =>
  Object.entries(alert.owed).map(([key, debt]) => ({ key, alert, debt, rule: undefined }));

describe('a fire drill', () => {
  golden('drill', owedBy(called('info', 'does the new pager ring?')));
  golden('drill as grave as it gets', owedBy(called('critical', '')));
  const alert = called('info', 'does the new pager ring?');
  const [key = ''] = Object.keys(alert.owed);
  golden('drill over', owedBy(settle(alert, key, TUESDAY_3_AM + 30_000)));
});

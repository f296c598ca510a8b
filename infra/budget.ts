import type { Stack } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import type { Stage } from '../shared/config/stage.ts';

/** Mails the operators if a month of the stage costs more than its budget, or will. It stops nothing. */
export function addBudget(stack: Stack, { name, operators }: Stage, usdPerMonth: number): void {
  const tagged = (key: string, value: string) => ({
    tags: { key, values: [value], matchOptions: ['EQUALS'] },
  });
  new CfnBudget(stack, 'Budget', {
    // Without a name, because a change of the mailbox replaces it.
    budget: {
      budgetType: 'COST',
      timeUnit: 'MONTHLY',
      budgetLimit: { amount: usdPerMonth, unit: 'USD' },
      metrics: ['UnblendedCost'],
      filterExpression: { and: [tagged('application', 'deltawatch'), tagged('stage', name)] },
    },
    notificationsWithSubscribers: ['ACTUAL', 'FORECASTED'].map((notificationType) => ({
      notification: {
        ...{ notificationType, comparisonOperator: 'GREATER_THAN' },
        ...{ threshold: 100, thresholdType: 'PERCENTAGE' },
      },
      subscribers: [{ subscriptionType: 'EMAIL', address: operators }],
    })),
  });
}

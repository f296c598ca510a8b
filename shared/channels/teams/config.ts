import { webhookKind } from '../kind.ts';

export const teams = webhookKind(
  'Teams',
  'A workflow of Microsoft Teams that posts what its webhook receives.',
);

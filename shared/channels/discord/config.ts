import { webhookKind } from '../kind.ts';

export const discord = webhookKind('Discord', 'A webhook of a Discord channel.');

import { webhookKind } from '../kind.ts';

export const googlechat = webhookKind('Google Chat', 'A webhook of a space in Google Chat.');

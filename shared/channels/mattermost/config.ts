import { webhookKind } from '../kind.ts';

export const mattermost = webhookKind('Mattermost', 'An incoming webhook of Mattermost.');

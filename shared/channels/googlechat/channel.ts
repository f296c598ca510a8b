import * as z from 'zod';
import { type ChatVendor, type ChatWebhookOptions, chatWebhook, opens } from '../chat-webhook.ts';
import { jsonIn } from '../http-post.ts';
import { googleChatMessage } from './cards.ts';

const postedSchema = z.object({ name: z.string().startsWith('spaces/') });

/** Such as "PERMISSION_DENIED": https://google.aip.dev/193 */
const errorSchema = z.object({ error: z.object({ status: z.string().regex(/^[A-Z_]{2,40}$/) }) });

/** Posts each message to the webhook of a space, which answers with the name of the message, or with an error. */
const GOOGLE_CHAT: ChatVendor = {
  name: 'Google Chat',
  layout: googleChatMessage,
  verdictOn({ status, body }) {
    const answer = jsonIn(body);
    if (status < 400)
      return status === 200 && postedSchema.safeParse(answer).success ? 'accepted' : 'foreign';
    return { status, error: errorSchema.safeParse(answer).data?.error.status };
  },
  adviceOn({ status = 0 }) {
    if ([401, 403, 404].includes(status))
      return ': the webhook or its space was deleted, or the URL is incomplete; store the URL of a webhook in the secret';
    return status === 400 ? ': the message or the URL is invalid; copy the whole URL into the secret' : '';
  },
};

export const createGoogleChatChannel = (options: ChatWebhookOptions) => chatWebhook(GOOGLE_CHAT, options);
export const open = opens(createGoogleChatChannel);
